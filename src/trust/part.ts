import type { PartKind } from '../contracts/config/trust.ts';
import { sortKeys } from '../text/json.ts';

/** One thing that a repository's files make conductor execute or pass on. */
export interface Part {
  readonly kind: PartKind;
  /** Unique within its kind. */
  readonly name: string;
  /** Shown to the user: what would run, and what it would receive. */
  readonly text: string;
  /** Everything that determines its effect, as JSON with sorted keys: two parts are equal if this is equal. */
  readonly canonical: string;
}

export function createPart(kind: PartKind, name: string, text: string, value: unknown): Part {
  return { kind, name, text, canonical: JSON.stringify([kind, name, sortKeys(value)]) };
}

/** Formats a command line readably; different commands never give the same text. */
export function commandText(command: string | readonly string[]): string {
  const words = typeof command === 'string' ? [command] : command;
  return words.map((word) => (/^[\w./@:+,=%-]+$/.test(word) ? word : JSON.stringify(word))).join(' ');
}
