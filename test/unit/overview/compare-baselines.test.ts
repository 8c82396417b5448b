import { describe, expect, test } from 'vitest';
import type { BaselineSummary } from '../../../src/contracts/run/run-summary.ts';
import { compareBaselines } from '../../../src/overview/compare-baselines.ts';

/** `null` is a validator that passed, `[]` one that failed without a report. */
type Results = Readonly<Record<string, readonly string[] | null>>;

function baselineOf(results: Results, change: Partial<BaselineSummary> = {}, more = 0): BaselineSummary {
  const validators = Object.entries(results).map(([id, failing]) => ({
    id,
    failed: failing !== null,
    failing_cases: [...(failing ?? [])],
    more_failing_cases: more,
  }));
  return {
    outcome: validators.some(({ failed }) => failed) ? 'red' : 'green',
    recorded_at: '2026-11-18T01:00:00.000Z',
    cached: false,
    cases: null,
    validators,
    reason: null,
    ...change,
  };
}

const CASES: readonly {
  readonly sentence: string;
  readonly before: Results;
  readonly latest: Results;
  readonly newlyFailing?: readonly string[];
  readonly fixed?: readonly string[];
}[] = [
  {
    sentence: 'a validator without a report is named beside failing cases of another',
    before: { tests: ['a'], lint: null },
    latest: { tests: ['a'], lint: [] },
    newlyFailing: ['lint'],
  },
  {
    sentence: 'a validator without a report that passes again is fixed, though cases still fail',
    before: { tests: ['a'], lint: [] },
    latest: { tests: ['a'], lint: null },
    fixed: ['lint'],
  },
  {
    sentence: 'a validator that did not run now is not fixed',
    before: { tests: null, lint: [] },
    latest: { tests: null },
  },
  {
    sentence: 'a validator that did not run before is not newly failing',
    before: { tests: null },
    latest: { tests: null, lint: [] },
  },
  {
    sentence: 'a report that is missing now fixes nothing',
    before: { tests: ['a', 'b'] },
    latest: { tests: [] },
  },
  {
    sentence: 'cases of two validators are compared each with its own',
    before: { unit: ['a'], e2e: ['x', 'y'] },
    latest: { unit: null, e2e: ['y', 'z'] },
    newlyFailing: ['z'],
    fixed: ['a', 'x'],
  },
];

describe('two baselines', () => {
  test.each(CASES)('$sentence', ({ before, latest, newlyFailing = [], fixed = [] }) => {
    const expected = newlyFailing.length + fixed.length === 0 ? null : { newlyFailing, fixed };
    expect(compareBaselines(baselineOf(latest), baselineOf(before))).toEqual(expected);
  });

  test('whose lists of cases are cut differ only where both are known', () => {
    const before = baselineOf({ tests: ['b', 'c', 'd'] }, {}, 2);
    const latest = baselineOf({ tests: ['a', 'c', 'e'] }, {}, 1);
    expect(compareBaselines(latest, before)).toEqual({ newlyFailing: ['a'], fixed: ['b', 'd'] });
  });

  test('differ if the checks can not run any more, with no case named', () => {
    const unable = baselineOf({ tests: [] }, { outcome: 'unable' });
    const red = baselineOf({ tests: ['a'] });
    expect(compareBaselines(unable, red)).toEqual({ newlyFailing: [], fixed: [] });
  });
});
