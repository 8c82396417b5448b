import { stripEscapeSequences } from '../reports/output-tail.ts';
import type { Normaliser, TextExpectation } from './case.ts';

/**
 * What is wrong with a text, in words that name it; nothing where it is as expected. Nothing is a part of every text, so
 * that whoever expects it can only mean the whole.
 */
export function mismatches(subject: string, text: string, expected: TextExpectation): string[] {
  if (expected === '') return text === '' ? [] : [`${subject} is not empty, it is ${quote(text)}`];
  if (typeof expected === 'string') return lacks(subject, text, expected);
  if (expected instanceof RegExp) return unmatched(subject, text, expected);
  const { equals, contains, matches } = expected;
  return [
    ...(equals === undefined || equals === text
      ? []
      : [`${subject} is not ${quote(equals)}, it is ${quote(text)}`]),
    ...(contains === undefined ? [] : listOf(contains).flatMap((piece) => lacks(subject, text, piece))),
    ...(matches === undefined ? [] : unmatched(subject, text, matches)),
  ];
}

function listOf(value: string | readonly string[]): readonly string[] {
  return typeof value === 'string' ? [value] : value;
}

function lacks(subject: string, text: string, piece: string): string[] {
  return text.includes(piece) ? [] : [`${subject} does not contain ${quote(piece)}, it is ${quote(text)}`];
}

/** A pattern in a file stands for one over several lines; one with flags says so itself. */
function unmatched(subject: string, text: string, pattern: string | RegExp): string[] {
  const tried = typeof pattern === 'string' ? new RegExp(pattern, 'm') : freshly(pattern);
  return tried.test(text) ? [] : [`${subject} does not match ${tried}, it is ${quote(text)}`];
}

/** Sticky and global patterns remember where they were; a test must not depend on the one before. */
function freshly({ source, flags }: RegExp): RegExp {
  return new RegExp(source, flags.replace(/[gy]/g, ''));
}

/** A number of things, in words. */
export function counted(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? '' : 's'}`;
}

const SHOWN_LENGTH = 400;

/** The end of a text says most about what went wrong, so the middle is what is left out. */
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

/** Text with what differs from run to run replaced by its name. */
export function normaliseText(text: string, normalisers: readonly Normaliser[], paths: KnownPaths): string {
  return normalisers.reduce((current, normaliser) => apply(current, normaliser, paths), text);
}

function apply(text: string, normaliser: Normaliser, { cwd, temp }: KnownPaths): string {
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
