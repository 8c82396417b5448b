import type { Spend } from '../../contracts/cli/cli-report-document.ts';
import { spendOfStart, sumSpend } from '../../overview/spend.ts';
import type { RunListing, RunStore } from '../../ports/run-store.ts';
import type { Records } from '../opened.ts';
import { deriveListedState, isInState } from './listed-state.ts';
import { summarizeRuns } from './summaries.ts';

export interface RunsFilter {
  /** A state or an outcome; null for all runs. */
  readonly state: string | null;
  readonly limit: number | null;
}

export interface ListedRuns {
  /** All runs of the repository, newest first. */
  readonly all: readonly RunListing[];
  /** Those that match the filter, up to the limit. */
  readonly shown: readonly RunListing[];
  /** How many more match the filter. */
  readonly hidden: number;
}

export async function listRuns(store: RunStore, { state, limit }: RunsFilter): Promise<ListedRuns> {
  const all = await store.list();
  const matching = state === null ? all : all.filter((run) => isInState(run, state));
  const shown = limit === null ? matching : matching.slice(0, limit);
  return { all, shown, hidden: matching.length - shown.length };
}

/** What each of these runs has spent so far, by run id; missing for a run whose record can't be read. */
export async function readSpend(
  records: Pick<Records, 'store' | 'summaries'>,
  listed: readonly RunListing[],
): Promise<ReadonlyMap<string, Spend>> {
  const { runs } = await summarizeRuns(
    records,
    listed.map(({ runId }) => runId),
  );
  return new Map(
    runs.map(({ summary }) => [summary.run_id, sumSpend(summary.starts.map(spendOfStart))] as const),
  );
}

/** The document of `runs --json`. */
export function runsDocument({ shown, hidden }: ListedRuns, spend: ReadonlyMap<string, Spend>) {
  return {
    runs: shown.map((run) => ({
      run_id: run.runId,
      title: run.status?.title ?? null,
      run_directory: run.path,
      state: deriveListedState(run),
      status: run.status,
      driver_pid: run.driver?.pid ?? null,
      spend: spend.get(run.runId) ?? null,
    })),
    hidden,
  };
}

/** The document of `status --json` without a run. */
export function statusesDocument(listed: readonly RunListing[]) {
  return {
    runs: listed.map(({ runId, status, driver }) => ({
      run_id: runId,
      title: null,
      ...status,
      driver_pid: driver?.pid ?? null,
    })),
  };
}
