import { describe, expect, it } from 'vitest';
import type { RunOutcome } from '../../../src/contracts/vocabulary.ts';
import { exitCodeOfOutcome } from '../../../src/surfaces/cli/exit-codes.ts';
import { formatDuration } from '../../../src/surfaces/cli/output/terminal.ts';

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
