import type { RunSummary } from '../contracts/run/run-summary.ts';

/** Summaries of ended runs, so that their logs are read only once. Losing them only costs time. */
export interface RunSummaries {
  /** Visits the kept summaries, one after the other, each with the size that the log had then. */
  readonly visit: (take: (kept: KeptSummary) => void) => Promise<void>;
  /** Adds summaries. `runIds` are all runs that still exist; the others are dropped at some point. */
  readonly keep: (kept: readonly KeptSummary[], runIds: readonly string[]) => Promise<void>;
  /** The current size of each log in bytes; without runs whose log is missing. Reads no log. */
  readonly logSizes: (runIds: readonly string[]) => Promise<ReadonlyMap<string, number>>;
}

export interface KeptSummary {
  readonly logBytes: number;
  readonly summary: RunSummary;
}
