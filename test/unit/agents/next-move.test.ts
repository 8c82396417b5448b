import { describe, expect, it } from 'vitest';
import { type MoveFacts, type NextMove, nextMove } from '../../../src/agents/next-move.ts';
import { priced, sumUsage } from '../../../src/agents/prices.ts';
import type { FailureClass } from '../../../src/contracts/agent-failure.ts';

const UNTIL = '2026-01-01T02:00:00.000Z';
const FACTS: MoveFacts = { starts: 1, retries: 2, resetInMs: null, leftMs: 600_000, chance: 0 };
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
});
