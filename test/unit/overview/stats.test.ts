import { describe, expect, it } from 'vitest';

import { type StatsGroup, statsSchema } from '../../../src/contracts/cli/cli-stats-document.ts';
import type { StatsDimension } from '../../../src/contracts/vocabulary.ts';
import { estimateRate, findMedian } from '../../../src/overview/figures.ts';
import { computeStats } from '../../../src/overview/stats.ts';
import type { AgentShare, StatsRow } from '../../../src/overview/stats-row.ts';

const MINUTE = 60_000;
const formatDay = (day: number) => new Date(day * 86_400_000).toISOString().slice(0, 10);

function share(given: Partial<AgentShare>): AgentShare {
  return {
    agent: 'claude-code',
    model: 'opus',
    prompt: 'implement.v2',
    attempts: 1,
    tokens: null,
    costUsd: null,
    ...given,
  };
}

/** A run whose totals are those of its only share. */
function row(given: Partial<StatsRow>, only: Partial<AgentShare> = {}): StatsRow {
  const own = share(only);
  return {
    workflow: 'implement',
    outcome: 'success',
    startedDay: 20_000,
    wallMs: MINUTE,
    attempts: own.attempts,
    tokens: own.tokens,
    costUsd: own.costUsd,
    contradictions: 0,
    shares: [own],
    ...given,
  };
}

function times<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

function compute(rows: readonly StatsRow[], by: StatsDimension | null = null, unreadable = 0) {
  return computeStats({ rows, unreadable, since: null, by, formatDay });
}

function groupOf(rows: readonly StatsRow[], by: StatsDimension, name: string | null): StatsGroup {
  const group = compute(rows, by).groups[by]?.find((each) => each.name === name);
  if (group === undefined) throw new Error(`no group ${name}`);
  return group;
}

/**
 * Forty runs that count:
 *
 * - `implement`: 20 runs of claude-code with opus and implement.v2, the n-th took n minutes, 10,000 tokens each.
 *   15 successes with 1 attempt and 0.30 USD; 3 unverified with a contradicted claim each, and 2 errors, with 2 attempts
 *   and 0.60 USD each.
 * - `quick`: 8 runs of claude-code with sonnet and implement.v1, 5 minutes, 1 attempt, tokens unknown, 0.10 USD each.
 *   4 successes, 4 partial.
 * - `reviewed`: 12 runs of 60 minutes. codex with implement.v3 made 2 attempts and reports neither model nor usage;
 *   claude-code with opus and review.v1 made 1 attempt with 1,000 tokens and 0.05 USD. 6 successes, 6 rejected.
 */
const IMPLEMENT = times(20, (index) => {
  const outcome = index < 15 ? 'success' : index < 18 ? 'unverified' : 'error';
  const isSuccess = outcome === 'success';
  return row(
    {
      outcome,
      wallMs: (index + 1) * MINUTE,
      startedDay: 20_000 + index,
      contradictions: outcome === 'unverified' ? 1 : 0,
    },
    { attempts: isSuccess ? 1 : 2, tokens: 10_000, costUsd: isSuccess ? 0.3 : 0.6 },
  );
});
const QUICK = times(8, (index) =>
  row(
    { workflow: 'quick', outcome: index < 4 ? 'success' : 'partial', wallMs: 5 * MINUTE, startedDay: 20_030 },
    { model: 'sonnet', prompt: 'implement.v1', costUsd: 0.1 },
  ),
);
const REVIEWED = times(12, (index) =>
  row({
    workflow: 'reviewed',
    outcome: index < 6 ? 'success' : 'rejected',
    wallMs: 60 * MINUTE,
    startedDay: 20_005,
    attempts: 3,
    shares: [
      share({ agent: 'codex', model: null, prompt: 'implement.v3', attempts: 2 }),
      share({ prompt: 'review.v1', tokens: 1_000, costUsd: 0.05 }),
    ],
  }),
);
const FORTY = [...IMPLEMENT, ...QUICK, ...REVIEWED];
const RUNNING = times(3, () => row({ outcome: null, wallMs: null }));
const CANCELLED = times(2, () => row({ outcome: 'cancelled' }, { costUsd: 100 }));

describe('the success rate', () => {
  // Newcombe, "Two-sided confidence intervals for the single proportion", Statistics in Medicine 17 (1998), table I,
  // method 3: the score interval without continuity correction.
  it.each([
    [81, 263, 0.2553, 0.3662],
    [15, 148, 0.0624, 0.1605],
    [0, 20, 0, 0.1611],
    [1, 29, 0.0061, 0.1718],
  ])('has the published Wilson interval for %i of %i', (successes, runs, low, high) => {
    const rate = estimateRate(successes, runs);
    expect(rate.rate).toBe(successes / runs);
    expect(rate.low).toBeCloseTo(low, 4);
    expect(rate.high).toBeCloseTo(high, 4);
  });

  it('has the interval of the failures, mirrored', () => {
    for (let successes = 0; successes <= 12; successes += 1) {
      const { low, high } = estimateRate(successes, 12);
      const mirrored = estimateRate(12 - successes, 12);
      expect(low).toBeCloseTo(1 - mirrored.high, 12);
      expect(high).toBeCloseTo(1 - mirrored.low, 12);
      expect(low).toBeGreaterThanOrEqual(0);
      expect(high).toBeLessThanOrEqual(1);
    }
  });

  it('is 100 % for ten of ten, with a lower end of 72 %', () => {
    expect(estimateRate(10, 10)).toEqual({ rate: 1, low: expect.closeTo(0.7225, 4), high: 1 });
  });
});

describe('a median', () => {
  const tens = (last: number) => [...times(9, (index) => 9 - index), last];

  it.each([
    ['the mean of the middle two of an even number', tens(1_000), 5.5, 10],
    ['the middle one of an odd number', [...tens(1_000), 2_000], 6, 11],
    ['taken over the known values', [...tens(1_000), null, null], 5.5, 10],
  ])('is %s', (_, values, value, runs) => {
    expect(findMedian(values)).toEqual({ value, runs, missing: null });
  });
});

describe('forty runs', () => {
  it('by agent, of an agent with two models and three prompts', () => {
    // 15 + 4 + 6 successes of 40: 62.5 %.
    // Interval: (0.625 + 3.84146 / 80 ∓ 1.95996 × √(0.625 × 0.375 / 40 + 3.84146 / 6400)) / (1 + 3.84146 / 40)
    //         = (0.673018 ∓ 0.157526) / 1.096036 = 0.47032 … 0.75777
    // Attempts: 15 × 1 + 5 × 2 + 8 × 1 + 12 × 1 = 45, by 25 successes.
    // Minutes, sorted: 1 to 4, nine times 5, 6 to 20, twelve times 60. The 20th is 12, the 21st 13.
    // Tokens: 20 × 10,000 + 12 × 1,000 = 212,000, known of 32 runs with 15 + 6 successes.
    // The median of twenty 10,000 and twelve 1,000 is 10,000.
    // Cost: 15 × 0.30 + 5 × 0.60 + 8 × 0.10 + 12 × 0.05 = 8.90, by 25.
    // Its median: twelve 0.05, eight 0.10, fifteen 0.30, five 0.60: the 20th is 0.10, the 21st 0.30.
    expect(groupOf(FORTY, 'agent', 'claude-code')).toEqual({
      name: 'claude-code',
      runs: 40,
      successes: 25,
      success_rate: { rate: 0.625, low: expect.closeTo(0.47032, 4), high: expect.closeTo(0.75777, 4) },
      contradictions: 3,
      attempts_per_success: { value: 1.8, runs: 40, missing: null },
      median_wall_ms: { value: 12.5 * MINUTE, runs: 40, missing: null },
      tokens_per_success: { value: expect.closeTo(212_000 / 21, 6), runs: 32, missing: null },
      median_tokens: { value: 10_000, runs: 32, missing: null },
      cost_usd_per_success: { value: expect.closeTo(0.356, 10), runs: 40, missing: null },
      median_cost_usd: { value: expect.closeTo(0.2, 10), runs: 40, missing: null },
    });
  });

  it('by agent, of an agent that reports no usage', () => {
    // 6 of 12; 12 × 2 attempts by 6 successes. The interval of a half: 0.5 ∓ 0.2462.
    const unknown = { value: null, runs: 0, missing: 'unknown' };
    expect(groupOf(FORTY, 'agent', 'codex')).toMatchObject({
      runs: 12,
      success_rate: { rate: 0.5, low: expect.closeTo(0.2538, 4), high: expect.closeTo(0.7462, 4) },
      contradictions: 0,
      attempts_per_success: { value: 4, runs: 12 },
      median_wall_ms: { value: 60 * MINUTE },
      tokens_per_success: unknown,
      median_tokens: unknown,
      cost_usd_per_success: unknown,
      median_cost_usd: unknown,
    });
  });

  it('by model, with one group for the runs that record none', () => {
    expect(
      compute(FORTY, 'model').groups.model?.map(({ name, runs, successes }) => [name, runs, successes]),
    ).toEqual([
      ['opus', 32, 21],
      [null, 12, 6],
      ['sonnet', 8, 4],
    ]);
  });

  it('by prompt: the same version in two runs is one group, two versions are two', () => {
    expect(compute(FORTY, 'prompt').groups.prompt?.map(({ name, runs }) => [name, runs])).toEqual([
      ['implement.v2', 20],
      ['implement.v3', 12],
      ['review.v1', 12],
      ['implement.v1', 8],
    ]);
  });

  it('by workflow, with what the whole run spent', () => {
    // 15 × 1 + 5 × 2 attempts, 200,000 tokens and 15 × 0.30 + 5 × 0.60 USD by 15 successes.
    expect(groupOf(FORTY, 'workflow', 'implement')).toMatchObject({
      runs: 20,
      success_rate: { rate: 0.75, low: expect.closeTo(0.5313, 4), high: expect.closeTo(0.8881, 4) },
      attempts_per_success: { value: expect.closeTo(25 / 15, 10) },
      median_wall_ms: { value: 10.5 * MINUTE },
      tokens_per_success: { value: expect.closeTo(200_000 / 15, 6) },
      cost_usd_per_success: { value: expect.closeTo(0.5, 10) },
    });
    // 12 × (2 + 1) attempts by 6 successes; what codex spent is unknown, so the whole is.
    expect(groupOf(FORTY, 'workflow', 'reviewed')).toMatchObject({
      attempts_per_success: { value: 6 },
      tokens_per_success: { missing: 'unknown' },
      cost_usd_per_success: { missing: 'unknown' },
    });
  });

  it('of a group below ten say "too few" instead of a number', () => {
    const tooFew = { value: null, runs: 8, missing: 'too_few_runs' };
    expect(groupOf(FORTY, 'model', 'sonnet')).toMatchObject({
      runs: 8,
      successes: 4,
      success_rate: null,
      attempts_per_success: tooFew,
      median_wall_ms: tooFew,
      cost_usd_per_success: tooFew,
      median_cost_usd: tooFew,
      tokens_per_success: { value: null, runs: 0, missing: 'unknown' },
    });
  });

  it('do not include runs that go on or were cancelled', () => {
    const { runs, not_counted, groups } = compute([...RUNNING, ...FORTY, ...CANCELLED], null, 1);
    expect(runs).toBe(40);
    expect(not_counted).toEqual({ running: 3, cancelled: 2, unreadable: 1 });
    expect(groups).toEqual(compute(FORTY).groups);
  });

  it('fit the schema', () => {
    const stats = compute(FORTY);
    expect(statsSchema.parse(stats)).toEqual(stats);
  });

  it('are divided into days, with the days without runs', () => {
    // From day 20,000 (4 October 2024) to day 20,030: 31 days.
    const { periods } = compute(FORTY);
    expect(periods).toHaveLength(31);
    expect(periods[0]).toEqual({
      from: '2024-10-04',
      days: 1,
      ends: { success: 1, unverified: 0, stopped: 0, failed: 0 },
      cost_usd: 0.3,
      cost_unknown: 0,
    });
    // Day 20,005: one of `implement`, and `reviewed` with its unknown cost.
    expect(periods[5]).toMatchObject({
      from: '2024-10-09',
      ends: { success: 7, unverified: 0, stopped: 6, failed: 0 },
      cost_usd: 0.3,
      cost_unknown: 12,
    });
    expect(periods[19]?.ends.failed).toBe(1);
    expect(periods[25]?.ends).toEqual({ success: 0, unverified: 0, stopped: 0, failed: 0 });
    expect(periods[30]?.cost_usd).toBeCloseTo(0.8, 10);
  });
});

describe('a group', () => {
  it.each([
    [9, null, 'too_few_runs'],
    [10, 1, null],
  ])('of %i runs has attempts per success %s (%s)', (count, value, missing) => {
    const rows = times(count, () => row({}));
    expect(groupOf(rows, 'agent', 'claude-code').attempts_per_success).toEqual({
      value,
      runs: count,
      missing,
    });
  });

  it('without a success has a rate of 0 and nothing per success', () => {
    const rows = times(10, () => row({ outcome: 'error' }, { costUsd: 1, tokens: 5 }));
    expect(groupOf(rows, 'agent', 'claude-code')).toMatchObject({
      success_rate: { rate: 0, low: 0, high: expect.closeTo(0.2775, 4) },
      attempts_per_success: { value: null, runs: 10, missing: 'no_success' },
      cost_usd_per_success: { value: null, runs: 10, missing: 'no_success' },
      median_cost_usd: { value: 1, runs: 10, missing: null },
    });
  });

  it('says too few for a cost that fewer than ten of its runs report', () => {
    const rows = [...times(9, () => row({}, { costUsd: 1 })), ...times(9, () => row({}))];
    expect(groupOf(rows, 'agent', 'claude-code')).toMatchObject({
      success_rate: { rate: 1 },
      cost_usd_per_success: { value: null, runs: 9, missing: 'too_few_runs' },
    });
  });

  it('counts a run once that used its agent in two steps, and its cost as unknown if one of them is', () => {
    const rows = times(10, () =>
      row({
        contradictions: 1,
        shares: [share({ tokens: 10, costUsd: 1, attempts: 2 }), share({ prompt: 'review.v1', tokens: 5 })],
      }),
    );
    expect(groupOf(rows, 'agent', 'claude-code')).toMatchObject({
      runs: 10,
      contradictions: 10,
      attempts_per_success: { value: 3 },
      tokens_per_success: { value: 15 },
      cost_usd_per_success: { missing: 'unknown' },
    });
  });

  it('of an agent has no run that ended before its first agent step', () => {
    const rows = [...times(10, () => row({})), row({ outcome: 'error', shares: [], attempts: 0 })];
    expect(groupOf(rows, 'agent', 'claude-code').runs).toBe(10);
    expect(groupOf(rows, 'workflow', 'implement').runs).toBe(11);
  });
});

describe('periods', () => {
  it.each([
    [31, 1, 31],
    [32, 7, 5],
    [217, 7, 31],
    [218, 28, 8],
    [868, 28, 31],
    [869, 56, 16],
  ])('of a history of %i days are %i days long', (span, days, count) => {
    const { periods } = compute([row({ startedDay: 0 }), row({ startedDay: span - 1 })]);
    expect({ days: periods[0]?.days, count: periods.length }).toEqual({ days, count });
    expect(periods.at(-1)?.ends.success).toBe(1);
  });

  it('are none without runs', () => {
    expect(compute([])).toEqual({
      since: null,
      runs: 0,
      not_counted: { running: 0, cancelled: 0, unreadable: 0 },
      groups: { agent: [], model: [], prompt: [], workflow: [] },
      periods: [],
    });
  });
});
