import { InvalidArgumentError } from 'commander';
import { parseDuration } from '../../contracts/duration.ts';

/** For commands that execute what a repository's files say. */
export const TRUST_OPTION = [
  '--trust',
  'trust the repository with what this executes, without asking',
] as const;

/** The formats of `conductor report`. */
export const REPORT_FORMATS: readonly string[] = ['text', 'markdown', 'html', 'json'];

// Converts the values that commander passes into the types that commands expect.

export function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function optional(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

export function number(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}

export function wholeCount(value: string): number {
  if (!/^\d+$/.test(value)) throw new InvalidArgumentError('expected a whole number');
  return Number(value);
}

export function positiveCount(value: string): number {
  const count = wholeCount(value);
  if (count === 0) throw new InvalidArgumentError('expected at least 1');
  return count;
}

/** A bare number means seconds, as it does in a workflow. */
export function wallClock(value: string): number {
  const ms = parseDuration(/^\d+(?:\.\d+)?$/.test(value) ? Number(value) : value);
  if (ms === null) throw new InvalidArgumentError('expected a duration, such as 90s, 15m, 2h or 3d');
  return ms;
}

export function dollars(value: string): number {
  if (!/^\d+(?:\.\d+)?$/.test(value)) throw new InvalidArgumentError('expected a number of US dollars');
  return Number(value);
}

export function oneOf(values: readonly string[]) {
  return (value: string): string => {
    if (values.includes(value)) return value;
    throw new InvalidArgumentError(`expected one of ${values.join(', ')}`);
  };
}

export function collectInput(
  value: string,
  before: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const at = value.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('write it as name=value');
  const name = value.slice(0, at);
  if (Object.hasOwn(before, name)) throw new InvalidArgumentError(`${name} is given twice`);
  return { ...before, [name]: value.slice(at + 1) };
}

export function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

export function listed(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}
