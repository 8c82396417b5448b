import { describe, expect, it } from 'vitest';
import type { RunOutcome } from '../../../src/contracts/vocabulary.ts';
import { exitCodeOfOutcome } from '../../../src/surfaces/cli/exit-codes.ts';
import { formatDuration, printable } from '../../../src/surfaces/cli/terminal.ts';

describe('the exit code of a run', () => {
  it.each<[RunOutcome, number]>([
    ['success', 0],
    ['error', 1],
    ['partial', 4],
    ['blocked', 4],
    ['needs_human', 4],
    ['rejected', 4],
    ['timed_out', 4],
    ['unsafe', 5],
    ['policy', 5],
    ['budget', 6],
    ['unverified', 7],
    ['cancelled', 130],
  ])('that ended as %s is %d', (outcome, code) => {
    expect(exitCodeOfOutcome(outcome)).toBe(code);
  });
});

describe('text for a terminal', () => {
  const esc = String.fromCharCode(27);

  it.each([
    [`${esc}[31mred${esc}[0m`, 'red'],
    [`title${esc}]0;gone${String.fromCharCode(7)}`, 'title]0;gone'],
    ['a\u0000b\u009bc\rd', 'abcd'],
    ['\u202etxt.exe\u2066 one\u2028line', 'txt.exe oneline'],
    ['tabs\tand\nlines and ümläuts 漢字', 'tabs\tand\nlines and ümläuts 漢字'],
  ])('loses what a terminal would obey: %j', (given, shown) => {
    expect(printable(given)).toBe(shown);
  });

  it.each([
    [0, '0 ms'],
    [999, '999 ms'],
    [1_500, '1.5 s'],
    [61_000, '1 m 01 s'],
    [3_720_000, '1 h 02 m'],
  ])('says %d ms as %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });
});
