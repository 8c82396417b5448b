import { MIN_RUNS_FOR_FIGURE, type Stats, type StatsGroup } from '../contracts/cli/cli-stats-document.ts';
import { STATS_DIMENSIONS, type StatsDimension } from '../contracts/vocabulary.ts';
import { dividePerSuccess, estimateRate, findMedian } from './figures.ts';
import { divideIntoPeriods } from './stats-periods.ts';
import { addSpent, type CountedRow, type Spent, type StatsRow } from './stats-row.ts';

export interface StatsRequest {
  readonly rows: readonly StatsRow[];
  /** How many records can't be read. */
  readonly unreadable: number;
  readonly since: string | null;
  /** Null for all dimensions. */
  readonly by: StatsDimension | null;
  /** The date of a day that is counted from 1 January 1970, such as `2026-11-18`. */
  readonly formatDay: (day: number) => string;
}

export function computeStats({ rows, unreadable, since, by, formatDay }: StatsRequest): Stats {
  const counted = rows.filter(isCounted);
  const dimensions = by === null ? STATS_DIMENSIONS : [by];
  return {
    since,
    runs: counted.length,
    not_counted: {
      running: rows.filter(({ outcome }) => outcome === null).length,
      cancelled: rows.filter(({ outcome }) => outcome === 'cancelled').length,
      unreadable,
    },
    groups: Object.fromEntries(dimensions.map((dimension) => [dimension, groupRows(counted, dimension)])),
    periods: divideIntoPeriods(counted, formatDay),
  };
}

function isCounted(row: StatsRow): row is CountedRow {
  return row.outcome !== null && row.outcome !== 'cancelled';
}

/** What a run contributes to a group. */
interface Member extends Spent {
  readonly run: CountedRow;
}

function groupRows(rows: readonly CountedRow[], dimension: StatsDimension): StatsGroup[] {
  const members = new Map<string | null, Member[]>();
  for (const row of rows)
    for (const [name, member] of membersOf(row, dimension)) {
      const group = members.get(name) ?? [];
      members.set(name, group);
      group.push(member);
    }
  return [...members]
    .map(([name, group]) => describeGroup(name, group))
    .sort((a, b) => b.runs - a.runs || compareNames(a.name, b.name));
}

/** By code unit, so that the order is the same in every locale; runs without a name come last. */
function compareNames(a: string | null, b: string | null): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  return a < b ? -1 : Number(a > b);
}

/** The groups that a run is in, and what it contributes to each. A run without an agent step is in none of an agent. */
function membersOf(run: CountedRow, dimension: StatsDimension): Map<string | null, Member> {
  if (dimension === 'workflow') return new Map([[run.workflow, { ...run, run }]]);
  const members = new Map<string | null, Member>();
  for (const share of run.shares) {
    const before = members.get(share[dimension]);
    members.set(share[dimension], { ...(before === undefined ? share : addSpent(before, share)), run });
  }
  return members;
}

function describeGroup(name: string | null, members: readonly Member[]): StatsGroup {
  const isSuccess = ({ run }: Member) => run.outcome === 'success';
  const runs = members.length;
  const successes = members.filter(isSuccess).length;
  const perSuccess = (spentOf: (member: Member) => number | null) =>
    dividePerSuccess(members.map((member) => ({ spent: spentOf(member), isSuccess: isSuccess(member) })));
  return {
    name,
    runs,
    successes,
    success_rate: runs < MIN_RUNS_FOR_FIGURE ? null : estimateRate(successes, runs),
    contradictions: members.reduce((sum, { run }) => sum + run.contradictions, 0),
    attempts_per_success: perSuccess(({ attempts }) => attempts),
    median_wall_ms: findMedian(members.map(({ run }) => run.wallMs)),
    tokens_per_success: perSuccess(({ tokens }) => tokens),
    median_tokens: findMedian(members.map(({ tokens }) => tokens)),
    cost_usd_per_success: perSuccess(({ costUsd }) => costUsd),
    median_cost_usd: findMedian(members.map(({ costUsd }) => costUsd)),
  };
}
