import { type Figure, MIN_RUNS_FOR_FIGURE, type SuccessRate } from '../contracts/cli/cli-stats-document.ts';

/** The quantile of the normal distribution that leaves 2.5 % on each side. */
const Z = 1.959963984540054;

/**
 * The Wilson score interval. Unlike the textbook interval it stays between 0 and 1 and holds its 95 % for small samples
 * and for rates near 0 and 1.
 */
export function estimateRate(successes: number, runs: number): SuccessRate {
  const rate = successes / runs;
  const spread = Z * Math.sqrt((rate * (1 - rate)) / runs + Z ** 2 / (4 * runs ** 2));
  const middle = rate + Z ** 2 / (2 * runs);
  const scale = 1 + Z ** 2 / runs;
  return {
    rate,
    // At the ends the sums below are exact on paper and off by one bit in floating point.
    low: successes === 0 ? 0 : (middle - spread) / scale,
    high: successes === runs ? 1 : (middle + spread) / scale,
  };
}

/** A sample of runs: what each of them spent, null if it doesn't report that, and whether it succeeded. */
export interface Spending {
  readonly spent: number | null;
  readonly isSuccess: boolean;
}

/** What all runs spent, divided by the number of successes: failed runs are part of the price of a success. */
export function dividePerSuccess(sample: readonly Spending[]): Figure {
  const known = sample.filter(({ spent }) => spent !== null);
  const successes = known.filter(({ isSuccess }) => isSuccess).length;
  return createFigure(
    known.length,
    successes === 0 ? null : known.reduce((sum, { spent }) => sum + (spent ?? 0), 0) / successes,
  );
}

export function findMedian(values: readonly (number | null)[]): Figure {
  const known = values.filter((value) => value !== null).sort((a, b) => a - b);
  const upper = known[Math.floor(known.length / 2)] ?? 0;
  const lower = known[Math.ceil(known.length / 2) - 1] ?? 0;
  return createFigure(known.length, (lower + upper) / 2);
}

/** `value` is null if there is no success to divide by. */
function createFigure(runs: number, value: number | null): Figure {
  if (runs === 0) return { value: null, runs, missing: 'unknown' };
  if (runs < MIN_RUNS_FOR_FIGURE) return { value: null, runs, missing: 'too_few_runs' };
  return value === null ? { value: null, runs, missing: 'no_success' } : { value, runs, missing: null };
}
