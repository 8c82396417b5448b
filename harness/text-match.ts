import { stripEscapeSequences } from '../src/reports/output-tail.ts';
import type { Normaliser, TextExpectation } from './case.ts';

/**
 * Describes how a text differs from the expectation; empty if it does not. Every text contains the empty
 * string, so an expected empty string means that the text itself must be empty.
 */
export function findMismatches(subject: string, text: string, expected: TextExpectation): string[] {
  if (expected === '') return text === '' ? [] : [`${subject} is not empty, it is ${quote(text)}`];
  if (typeof expected === 'string') return findMissing(subject, text, expected);
  if (expected instanceof RegExp) return findUnmatched(subject, text, expected);
  const { equals, contains, matches } = expected;
  return [
    ...(equals === undefined || equals === text
      ? []
      : [`${subject} is not ${quote(equals)}, it is ${quote(text)}`]),
    ...(contains === undefined ? [] : listOf(contains).flatMap((piece) => findMissing(subject, text, piece))),
    ...(matches === undefined ? [] : findUnmatched(subject, text, matches)),
  ];
}

function listOf(value: string | readonly string[]): readonly string[] {
  return typeof value === 'string' ? [value] : value;
}

function findMissing(subject: string, text: string, piece: string): string[] {
  return text.includes(piece) ? [] : [`${subject} does not contain ${quote(piece)}, it is ${quote(text)}`];
}

/** A pattern from a file is multiline; a RegExp has its own flags. */
function findUnmatched(subject: string, text: string, pattern: string | RegExp): string[] {
  const tried = typeof pattern === 'string' ? new RegExp(pattern, 'm') : withoutState(pattern);
  return tried.test(text) ? [] : [`${subject} does not match ${tried}, it is ${quote(text)}`];
}

/** Sticky and global patterns keep their position between tests, so these flags are removed. */
function withoutState({ source, flags }: RegExp): RegExp {
  return new RegExp(source, flags.replace(/[gy]/g, ''));
}

/** A count with its noun, in singular or plural. */
export function countText(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? '' : 's'}`;
}

const SHOWN_LENGTH = 400;

/** Abbreviates the middle of a text, because its end says most about a failure. */
export function quote(text: string): string {
  if (text.length <= SHOWN_LENGTH) return JSON.stringify(text);
  const half = SHOWN_LENGTH / 2;
  return `${JSON.stringify(text.slice(0, half))} … ${JSON.stringify(text.slice(-half))}`;
}

const DATE = /\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?/g;

export interface KnownPaths {
  readonly cwd: string;
  readonly temp: string;
}

/** Replaces parts of a text that differ from run to run by placeholders. */
export function normaliseText(text: string, normalisers: readonly Normaliser[], paths: KnownPaths): string {
  return normalisers.reduce((current, normaliser) => applyNormaliser(current, normaliser, paths), text);
}

function applyNormaliser(text: string, normaliser: Normaliser, { cwd, temp }: KnownPaths): string {
  switch (normaliser) {
    case 'ansi':
      return stripEscapeSequences(text);
    case 'dates':
      return text.replace(DATE, '<date>');
    case 'paths':
      return text.replaceAll(cwd, '<cwd>').replaceAll(temp, '<tmp>');
    default: {
      const { replace } = normaliser;
      const pattern = typeof replace === 'string' ? new RegExp(replace, 'gm') : replace;
      return text.replace(pattern, normaliser.with);
    }
  }
}
