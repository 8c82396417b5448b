import type { Proof } from '../classify-scope.ts';
import { cFamilyTokens } from './c-family.ts';
import { jsonTokens, yamlTokens } from './data.ts';
import { pythonTokens } from './python.ts';
import { sameTokens, type Tokens } from './tokens.ts';

/** Both versions of a file. */
export interface FileVersions {
  readonly before: Uint8Array;
  readonly after: Uint8Array;
}

/** Two texts whose programs only a compiler can compare. */
export interface ProgramPair {
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

export type ProofStep =
  | { readonly kind: 'decided'; readonly proof: Proof }
  | { readonly kind: 'compile'; readonly pair: ProgramPair };

const LIMIT_BYTES = 4_000_000;
const PROGRAM = /\.(?:[cm]?[jt]s|[jt]sx)$/;

/** Whether a change preserves behaviour, as far as that can be decided without a compiler. */
export function proveEquivalence(path: string, { before, after }: FileVersions): ProofStep {
  if (before.length > LIMIT_BYTES || after.length > LIMIT_BYTES)
    return unproved('the file is too large to be compared');
  const [old, now] = [textOf(before), textOf(after)];
  if (old === null || now === null) return unproved('the file is not text in UTF-8');
  if (old === now) return proved('its content is the same');
  if (old.startsWith('\uFEFF') !== now.startsWith('\uFEFF'))
    return unproved('a byte order mark came or went');
  if (PROGRAM.test(path)) return { kind: 'compile', pair: { path, before: old, after: now } };
  return compareTokens(path, old, now);
}

function compareTokens(path: string, old: string, now: string): ProofStep {
  const read = readerFor(path);
  if (read === null) return unproved('no proof is known for files of its kind');
  switch (sameTokens(readSafely(read, old), readSafely(read, now))) {
    case null:
      return unproved('the file can not be read for sure');
    case true:
      return proved('only comments and white space changed');
    case false:
      return unproved('more than comments and white space changed');
  }
}

type ReadTokens = (text: string) => Tokens;

function readerFor(path: string): ReadTokens | null {
  if (/\.pyi?$/.test(path)) return pythonTokens;
  if (/\.jsonc?$/.test(path)) return (text) => jsonTokens(path, text);
  if (/\.ya?ml$/.test(path)) return yamlTokens;
  if (cFamilyTokens(path, '') === undefined) return null;
  return (text) => cFamilyTokens(path, text) ?? null;
}

/** Text that is nested too deeply counts as unreadable. */
function readSafely(read: ReadTokens, text: string): Tokens {
  try {
    return read(text);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** Null if the bytes aren't UTF-8; a byte order mark is kept. */
export function textOf(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

function proved(reason: string): ProofStep {
  return { kind: 'decided', proof: { proved: true, reason } };
}

function unproved(reason: string): ProofStep {
  return { kind: 'decided', proof: { proved: false, reason } };
}
