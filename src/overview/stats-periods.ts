import type { EndKind, StatsPeriod } from '../contracts/cli/cli-stats-document.ts';
import type { RunOutcome } from '../contracts/vocabulary.ts';
import type { CountedRow } from './stats-row.ts';

/** Lengths of a period in days. Longer histories use multiples of `LONGEST`. */
const LENGTHS = [1, 7] as const;
const LONGEST = 28;
/** More bars than this look like one on a phone. */
const MAX_PERIODS = 31;

/** Every kind names what a reader has to do about such a run: nothing, check, decide, fix. */
export const KIND_BY_OUTCOME: Readonly<Record<Exclude<RunOutcome, 'cancelled'>, EndKind>> = {
  success: 'success',
  unverified: 'unverified',
  partial: 'stopped',
  blocked: 'stopped',
  needs_human: 'stopped',
  rejected: 'stopped',
  timed_out: 'stopped',
  unsafe: 'failed',
  policy: 'failed',
  budget: 'failed',
  error: 'failed',
};

/** Divides the time from the first to the last run into equal periods; a period without runs is in the list too. */
export function divideIntoPeriods(
  rows: readonly CountedRow[],
  formatDay: (day: number) => string,
): StatsPeriod[] {
  if (rows.length === 0) return [];
  const days = rows.map(({ startedDay }) => startedDay);
  const first = days.reduce((a, b) => Math.min(a, b));
  const span = days.reduce((a, b) => Math.max(a, b)) - first + 1;
  const length = choosePeriodLength(span);
  const periods = Array.from({ length: Math.ceil(span / length) }, (_, index) => ({
    from: formatDay(first + index * length),
    days: length,
    ends: { success: 0, unverified: 0, stopped: 0, failed: 0 },
    cost_usd: 0,
    cost_unknown: 0,
  }));
  for (const { startedDay, outcome, costUsd } of rows) {
    const period = periods[Math.floor((startedDay - first) / length)];
    if (period === undefined) continue;
    period.ends[KIND_BY_OUTCOME[outcome]] += 1;
    if (costUsd === null) period.cost_unknown += 1;
    else period.cost_usd += costUsd;
  }
  return periods;
}

function choosePeriodLength(span: number): number {
  const fitting = LENGTHS.find((length) => Math.ceil(span / length) <= MAX_PERIODS);
  return fitting ?? LONGEST * Math.ceil(span / LONGEST / MAX_PERIODS);
}
