import type { Spend } from '../../contracts/cli/cli-report-document.ts';
import { hasEnded, type RunSummary } from '../../contracts/run/run-summary.ts';
import type { RunOutcome } from '../../contracts/vocabulary.ts';
import { spendOfStart, sumSpend } from '../../overview/spend.ts';
import { createSummaryReader } from '../../runtime/record/read-summary.ts';
import type { Records } from '../opened.ts';
import { readRunSummary, visitSummaries } from '../runs/summaries.ts';

/** What the lists of the page need of a run. */
export interface CatalogRow {
  readonly runId: string;
  readonly workflowId: string | null;
  readonly agents: readonly string[];
  readonly startedAt: string | null;
  /** Null while it has not ended. */
  readonly outcome: RunOutcome | null;
  readonly lifecycle: RunSummary['lifecycle_state'] | null;
  readonly spend: Spend | null;
  /** What a search looks through, in lower case. */
  readonly text: string;
}

/** The runs of a repository. An ended run is read once: with ten thousand of them, every list would take seconds. */
export interface RunCatalog {
  /** Newest first. */
  readonly ids: () => Promise<readonly string[]>;
  /** These runs, in the same order; without those that never started. */
  readonly rows: (runIds: readonly string[]) => Promise<readonly CatalogRow[]>;
}

/** Fewer runs are read from their logs: to read all kept summaries would take longer. */
const FEW_RUNS = 128;

type CatalogRecords = Pick<Records, 'store' | 'summaries'>;

export function createRunCatalog(records: CatalogRecords): RunCatalog {
  const known = new Map<string, CatalogRow>();
  let last: Promise<unknown> = Promise.resolve();
  const read = async (runIds: readonly string[]) => {
    const wanted = runIds.filter((runId) => (known.get(runId)?.outcome ?? null) === null);
    await readRows(records, wanted, (row) => known.set(row.runId, row));
    return runIds.flatMap((runId) => known.get(runId) ?? []);
  };
  return {
    ids: async () => {
      const runIds = await records.store.match('');
      const existing = new Set(runIds);
      for (const runId of known.keys()) if (!existing.has(runId)) known.delete(runId);
      return runIds;
    },
    rows: (runIds) => {
      // One after the other: what a request has read, the next one need not read.
      const reading = last.then(() => read(runIds));
      last = reading.catch(() => {});
      return reading;
    },
  };
}

async function readRows(
  records: CatalogRecords,
  runIds: readonly string[],
  take: (row: CatalogRow) => void,
): Promise<void> {
  if (runIds.length > FEW_RUNS) {
    const unreadable = await visitSummaries(records, runIds, ({ summary }) => take(describeRow(summary)));
    for (const { runId } of unreadable) take(describeUnreadable(runId));
    return;
  }
  const readSummary = createSummaryReader();
  for (const runId of runIds) {
    const found = await readRunSummary(records, runId, readSummary);
    if (found.ok) take(describeRow(found.run.summary));
    // A folder without a log is left by a run that never started.
    else if (found.problem.kind !== 'missing') take(describeUnreadable(runId));
  }
}

function describeRow(summary: RunSummary): CatalogRow {
  const agents = [...new Set(summary.starts.map(({ agent }) => agent))];
  const { run_id: runId, workflow_id: workflowId, title, branch, starts } = summary;
  return {
    runId,
    workflowId,
    agents,
    startedAt: summary.started_at,
    outcome: hasEnded(summary) ? summary.outcome : null,
    lifecycle: summary.lifecycle_state,
    spend: sumSpend(starts.map(spendOfStart)),
    text: [runId, title ?? '', workflowId, branch ?? '', ...agents].join('\n').toLowerCase(),
  };
}

function describeUnreadable(runId: string): CatalogRow {
  const none = { workflowId: null, startedAt: null, outcome: null, lifecycle: null, spend: null };
  return { runId, ...none, agents: [], text: runId };
}
