import { describe, expect, it } from 'vitest';
import { type MoveFacts, type NextMove, nextMove } from '../../../src/agents/next-move.ts';
import { priced, sumUsage, usageSince } from '../../../src/agents/prices.ts';
import type { FailureClass } from '../../../src/contracts/run/agent-failure.ts';

const UNTIL = '2026-01-01T02:00:00.000Z';
const NOW = Date.parse('2026-01-01T00:00:00.000Z');
const HOUR = 3_600_000;
const FRESH = { count: 0, spentMs: 0, limitMs: 12 * HOUR };
const FACTS: MoveFacts = {
  nowMs: NOW,
  starts: 1,
  retries: 2,
  resetInMs: null,
  leftMs: 600_000,
  chance: 0,
  parking: FRESH,
};
const END: NextMove = { kind: 'end' };
const PARK: NextMove = { kind: 'park', until: UNTIL };
const retry = (delayMs: number): NextMove => ({ kind: 'retry', delayMs });

type Case = readonly [string, FailureClass, Partial<MoveFacts>, NextMove];

const CASES: readonly Case[] = [
  ['a first failure of the line', 'network', {}, retry(1_000)],
  ['the same with bad luck', 'network', { chance: 1 }, retry(2_000)],
  ['a second one', 'overloaded', { starts: 2 }, retry(2_000)],
  ['the last one', 'overloaded', { starts: 3 }, END],
  ['one that is not to be tried again', 'network', { retries: 0 }, END],
  ['one that leaves no time', 'network', { leftMs: 1_000 }, END],
  ['one that was tried very often', 'network', { starts: 30, retries: 30 }, retry(30_000)],
  ['a limit of unknown length', 'rate_limited', {}, retry(1_000)],
  ['a limit that ends soon', 'rate_limited', { resetInMs: 30_000 }, retry(31_000)],
  ['a limit that has ended', 'rate_limited', { resetInMs: -5 }, retry(1_000)],
  ['a limit that ends after the step', 'rate_limited', { resetInMs: 30_000, leftMs: 20_000 }, PARK],
  ['a limit that ends later', 'rate_limited', { resetInMs: 60_001 }, PARK],
  ['a limit that ends later, tried often enough', 'rate_limited', { resetInMs: 60_001, starts: 3 }, PARK],
  ['a quota that ends later', 'quota_exhausted', { resetInMs: 7_200_000 }, PARK],
  ['a quota that ends soon', 'quota_exhausted', { resetInMs: 1_000 }, retry(2_000)],
  ['a quota without an end', 'quota_exhausted', {}, END],
  ['a login', 'authentication', {}, END],
  ['a crash', 'crash', {}, END],
  ['a tool that was refused', 'refused_tool', {}, END],
  ['no result', 'no_result', {}, END],
];

describe('what follows a failure', () => {
  it.each(CASES)('of %s (%s) with %j is %j', (_what, failureClass, facts, expected) => {
    const reset_at = (facts.resetInMs ?? null) === null ? null : UNTIL;
    const failure = { class: failureClass, message: 'no', reset_at, help: null };
    expect(nextMove(failure, { ...FACTS, ...facts })).toEqual(expected);
  });
});

const SPENT: Partial<MoveFacts> = { starts: 3 };
const failureOf = (message: string, reset_at: string | null = null) => ({
  class: 'rate_limited' as const,
  message,
  reset_at,
  help: null,
});
const minutesUntil = (move: NextMove): number =>
  move.kind === 'park' ? (Date.parse(move.until) - NOW) / 60_000 : Number.NaN;

describe('a limit of unknown length, once quick retries are spent', () => {
  it('is parked for 1, 2, 5, 15, 30 and 60 minutes, then hourly, up to 12 hours in all', () => {
    const parked: number[] = [];
    let spentMs = 0;
    for (;;) {
      const parking = { count: parked.length, spentMs, limitMs: 12 * HOUR };
      const move = nextMove(failureOf('429'), { ...FACTS, ...SPENT, parking });
      if (move.kind !== 'park') {
        expect(move).toEqual({
          kind: 'end',
          reason: 'the step was parked for 12h in total; raise limits.park to wait longer',
        });
        break;
      }
      parked.push(minutesUntil(move));
      spentMs += minutesUntil(move) * 60_000;
    }
    expect(parked).toEqual([1, 2, 5, 15, 30, ...Array<number>(11).fill(60), 7]);
  });

  it.each([
    ['is parked no longer than limits.park', { parking: { ...FRESH, limitMs: 30_000 } }, 0.5],
    ['is parked at once if nothing is to be retried', { starts: 1, retries: 0 }, 1],
    ['is parked if the step has no time left for a retry', { starts: 1, leftMs: 500 }, 1],
    ['is parked if a known short limit comes again and again', { resetInMs: 30_000 }, 1],
  ])('%s', (_what, facts: Partial<MoveFacts>, minutes) => {
    const failure = failureOf('429', facts.resetInMs === undefined ? null : UNTIL);
    expect(minutesUntil(nextMove(failure, { ...FACTS, ...SPENT, ...facts }))).toBe(minutes);
  });

  it.each([
    ['usage limit reached', 'park'],
    ["You've hit your weekly limit", 'park'],
    ['Your credit balance is too low', 'end'],
    ['billing hard limit: payment required', 'end'],
  ])('is a quota that says %j: %s', (message, kind) => {
    const failure = { ...failureOf(message), class: 'quota_exhausted' as const };
    expect(nextMove(failure, { ...FACTS, ...SPENT }).kind).toBe(kind);
  });
});

describe('a limit with a known end', () => {
  it.each([
    ['within limits.park', 2 * HOUR, FRESH, PARK],
    ['past limits.park', 13 * HOUR, FRESH, 'a step is parked for at most 12h'],
    ['past what is left of it', 2 * HOUR, { ...FRESH, spentMs: 11 * HOUR }, 'raise limits.park'],
  ])('%s', (_what, resetInMs, parking, expected) => {
    const move = nextMove(failureOf('429', UNTIL), { ...FACTS, resetInMs, parking });
    if (typeof expected !== 'string') expect(move).toEqual(expected);
    else expect(move).toMatchObject({ kind: 'end', reason: expect.stringContaining(expected) });
  });
});

describe('the cost of an agent', () => {
  const PRICE = { input_per_mtok: 3, output_per_mtok: 15 };

  it.each([
    ['follows from the price', { input_tokens: 1_000_000, output_tokens: 100_000 }, PRICE, 4.5],
    ['follows from what is known', { output_tokens: 1_000 }, PRICE, 0.015],
    ['is what the agent says', { input_tokens: 1_000_000, cost_usd: 9 }, PRICE, 9],
    ['is unknown without a price', { input_tokens: 1_000_000 }, null, undefined],
    ['is unknown without tokens', {}, PRICE, undefined],
  ])('%s', (_what, usage, price, cost) => {
    expect(priced(usage, price)?.cost_usd).toBe(cost);
  });

  it('of several starts is the sum of what is known', () => {
    expect(
      sumUsage([null, { input_tokens: 1 }, { input_tokens: 2, cost_usd: 0.1 }, { cost_usd: 0.2 }]),
    ).toEqual({
      input_tokens: 3,
      cost_usd: 0.3,
    });
    expect(sumUsage([null, null])).toBeNull();
  });

  it.each([
    [
      'is what came on top',
      { input_tokens: 5, output_tokens: 3 },
      { input_tokens: 2, output_tokens: 3 },
      { input_tokens: 3, output_tokens: 0 },
    ],
    [
      'is all of it for a count that began anew',
      { input_tokens: 1 },
      { input_tokens: 2 },
      { input_tokens: 1 },
    ],
    ['is all of it without a count before', { input_tokens: 1 }, null, { input_tokens: 1 }],
    ['stays unknown', null, { input_tokens: 2 }, null],
  ])('since an earlier count %s', (_what, total, before, expected) => {
    expect(usageSince(total, before)).toEqual(expected);
  });
});
