import { describe, expect, it } from 'vitest';
import { RUN_OUTCOMES, TERMINATIONS } from '../../../src/contracts/vocabulary.ts';
import {
  countOf,
  formatBytes,
  formatCost,
  formatCount,
  formatTokens,
} from '../../../web/src/text/numbers.ts';
import { describeAge, formatAge, formatDuration } from '../../../web/src/text/time.ts';
import {
  plainCause,
  plainClaim,
  plainWaiting,
  verdictOfClaim,
  verdictOfRun,
  verdictOfStep,
} from '../../../web/src/text/verdict.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const NOW = new Date('2026-03-01T12:00:00.000Z');
const timeBefore = (ms: number): Date => new Date(NOW.getTime() - ms);

describe('a duration', () => {
  it.each([
    [0, '<1 s'],
    [999, '<1 s'],
    [41 * SECOND, '41 s'],
    [2 * MINUTE + 11 * SECOND, '2 m 11 s'],
    [3 * MINUTE, '3 m'],
    [10 * MINUTE + 59 * SECOND, '10 m'],
    [HOUR + 12 * MINUTE, '1 h 12 m'],
    [2 * DAY + 3 * HOUR, '2 d 3 h'],
  ])('of %i ms reads %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });
});

describe('the age of something', () => {
  it.each([
    [-5 * SECOND, '<1 m', 'just now'],
    [59 * SECOND, '<1 m', 'just now'],
    [MINUTE, '1 m', '1 minute ago'],
    [6 * HOUR, '6 h', '6 hours ago'],
    [27 * DAY, '27 d', '27 days ago'],
  ])('of %i ms reads %s, and %s to a screen reader', (ms, short, long) => {
    expect([formatAge(timeBefore(ms), NOW), describeAge(timeBefore(ms), NOW)]).toEqual([short, long]);
  });

  it('of four weeks and more is a date', () => {
    expect(formatAge(timeBefore(40 * DAY), NOW)).toMatch(/^\d+ Jan 2026$/);
  });
});

describe('a number', () => {
  it.each([
    [formatCount(1_234_567), '1,234,567'],
    [formatCount(999), '999'],
    [countOf(1, 'file'), '1 file'],
    [countOf(3_000, 'case'), '3,000 cases'],
    [formatCost(0.414, 0), '$0.41'],
    [formatCost(0.001, 0), '<$0.01'],
    [formatCost(0, 0), '$0.00'],
    [formatCost(0, 2), 'cost unknown'],
    [formatCost(1.5, 1), '$1.50+'],
    [formatBytes(999), '999 B'],
    [formatBytes(1_500), '1.5 kB'],
    [formatBytes(1_000_000_000), '1.0 GB'],
    [formatTokens(1_500_000), '1.5 M'],
  ])('reads %s', (actual, expected) => {
    expect(actual).toBe(expected);
  });
});

describe('a verdict', () => {
  it('of success and approval alone is green', () => {
    const green = [
      ...RUN_OUTCOMES.filter((outcome) => verdictOfRun('completed', outcome).tone === 'success'),
      ...TERMINATIONS.filter((termination) => verdictOfStep(termination).tone === 'success'),
    ];
    expect(new Set(green)).toEqual(new Set(['success', 'completed', 'gate_approved']));
  });

  it('asks for a person only where one is waited for', () => {
    expect(verdictOfRun('waiting', null)).toEqual({ tone: 'needs', word: 'waiting for approval' });
    for (const state of ['running', 'starting', 'interrupted', 'blocked', 'failed', 'completed'])
      expect(verdictOfRun(state, null).tone).not.toBe('needs');
  });

  it('has a word for every outcome, so that colour is never the only sign', () => {
    for (const outcome of RUN_OUTCOMES) expect(verdictOfRun('completed', outcome).word).toMatch(/^[a-z]/);
    for (const holds of [true, false, null]) expect(verdictOfClaim(holds).word).toMatch(/^[a-z]/);
  });
});

describe('why an item waits', () => {
  it.each([
    ['approved; merge it: conductor work merge 1', 'conductor work merge 1', 'approved; merge it'],
    [
      'needs attention: no unit; then: conductor work show 2',
      'conductor work show 2',
      'needs attention: no unit',
    ],
    ['blocked by 2 (ready)', null, 'blocked by 2 (ready)'],
  ])('%j stands without the command %j', (waiting, command, text) => {
    expect(plainWaiting({ waiting, waiting_reason: { command } })).toBe(text);
    expect(plainWaiting({ waiting: null, waiting_reason: null })).toBe('');
  });
});

describe('why an evaluation decided', () => {
  it.each([
    [
      'validator-or-case-failed: tests exited with 1; and 30 more (evidence.validation.exit_codes, evidence.harness_report.cases); also claimed-passing',
      'tests exited with 1; and 30 more',
    ],
    ['no problem found in evidence', 'no problem found in evidence'],
    ['model: the (old) tests fail', 'model: the (old) tests fail'],
  ])('%j reads %j', (reason, text) => {
    expect(plainCause(reason)).toBe(text);
  });
});

describe('a claim', () => {
  it.each([
    ['tests_pass', 'tests pass'],
    ['created src/tests_pass.ts', 'created src/tests_pass.ts'],
  ])('%s reads %s', (claim, text) => {
    expect(plainClaim(claim)).toBe(text);
  });
});
