import type { Stats } from '../../contracts/cli/cli-stats-document.ts';
import { DAY_MS } from '../../contracts/duration.ts';
import type { RunSummary } from '../../contracts/run/run-summary.ts';
import type { StatsDimension } from '../../contracts/vocabulary.ts';
import { createStatsRow } from '../../overview/collect-rows.ts';
import { computeStats } from '../../overview/stats.ts';
import type { Records } from '../opened.ts';
import { summarizeRuns } from './summaries.ts';

export interface RunStatsOptions {
  /** Null for all dimensions. */
  readonly by: StatsDimension | null;
  /** Only runs that started at this time or later; null for all. */
  readonly since: Date | null;
}

/** Figures over the recorded runs of a repository. */
export async function computeRunStats(
  records: Pick<Records, 'store' | 'summaries'>,
  { by, since }: RunStatsOptions,
): Promise<Stats> {
  const { runs, unreadable } = await summarizeRuns(records);
  const sinceMs = since?.getTime() ?? Number.NEGATIVE_INFINITY;
  return computeStats({
    rows: runs
      .filter(({ summary }) => Date.parse(summary.started_at) >= sinceMs)
      .map(({ summary }) => createStatsRow(summary, measureTimes(summary))),
    // The start of a run whose record can't be read is unknown too.
    unreadable: unreadable.length,
    since: since?.toISOString() ?? null,
    by,
    formatDay: (day) => new Date(day * DAY_MS).toISOString().slice(0, 10),
  });
}

function measureTimes({ started_at, ended_at }: RunSummary) {
  const startedMs = Date.parse(started_at);
  return {
    startedDay: Math.floor(startedMs / DAY_MS),
    // A clock that was set back must not give a negative time.
    wallMs: ended_at === null ? null : Math.max(0, Date.parse(ended_at) - startedMs),
  };
}
