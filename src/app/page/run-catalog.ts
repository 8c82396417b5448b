import type { Spend } from '../../contracts/cli/cli-report-document.ts';
import { hasEnded, type RunSummary } from '../../contracts/run/run-summary.ts';
import type { RunOutcome } from '../../contracts/vocabulary.ts';
import { spendOfStart, sumSpend } from '../../overview/spend.ts';
import { createSummaryReader } from '../../runtime/record/read-summary.ts';
import type { Records } from '../opened.ts';
import { readRunSummary, summarizeRuns } from '../runs/summaries.ts';

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
  readonly rows: () => Promise<readonly CatalogRow[]>;
}

/** Fewer runs are read from their logs: to read all kept summaries would take longer. */
const FEW_RUNS = 32;

export function createRunCatalog(records: Pick<Records, 'store' | 'summaries'>): RunCatalog {
  const known = new Map<string, CatalogRow>();
  let reading: Promise<readonly CatalogRow[]> | null = null;
  const refresh = async () => {
    const runIds = await records.store.match('');
    const existing = new Set(runIds);
    for (const runId of known.keys()) if (!existing.has(runId)) known.delete(runId);
    const wanted = runIds.filter((runId) => (known.get(runId)?.outcome ?? null) === null);
    for (const row of await readRows(records, wanted)) known.set(row.runId, row);
    return runIds.flatMap((runId) => known.get(runId) ?? []);
  };
  return {
    // Requests at the same time share one look at the folders.
    rows: () => {
      reading ??= refresh().finally(() => {
        reading = null;
      });
      return reading;
    },
  };
}

async function readRows(
  records: Pick<Records, 'store' | 'summaries'>,
  runIds: readonly string[],
): Promise<readonly CatalogRow[]> {
  if (runIds.length > FEW_RUNS) {
    const { runs, unreadable } = await summarizeRuns(records, runIds);
    return [
      ...runs.map(({ summary }) => describeRow(summary)),
      ...unreadable.map(({ runId }) => describeUnreadable(runId)),
    ];
  }
  const readSummary = createSummaryReader();
  const rows: CatalogRow[] = [];
  for (const runId of runIds) {
    const read = await readRunSummary(records, runId, readSummary);
    if (read.ok) rows.push(describeRow(read.run.summary));
    // A folder without a log is left by a run that never started.
    else if (read.problem.kind !== 'missing') rows.push(describeUnreadable(runId));
  }
  return rows;
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
