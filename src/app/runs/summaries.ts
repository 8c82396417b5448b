import { hasEnded } from '../../contracts/run/run-summary.ts';
import type { SummarizedRun } from '../../overview/compose-report.ts';
import type { RecordProblem } from '../../ports/run-store.ts';
import type { KeptSummary } from '../../ports/run-summaries.ts';
import { createSummaryReader, type ReadSummary } from '../../runtime/record/read-summary.ts';
import type { Records } from '../opened.ts';

export interface SummarizedRuns {
  /** Newest first. */
  readonly runs: readonly SummarizedRun[];
  /** Runs whose record can't be read. */
  readonly unreadable: readonly { readonly runId: string; readonly problem: RecordProblem }[];
}

type SummaryRecords = Pick<Records, 'store' | 'summaries'>;

/** Summarizes runs, by default all of the repository. */
export async function summarizeRuns(
  records: SummaryRecords,
  wanted: readonly string[] | null = null,
): Promise<SummarizedRuns> {
  const runIds = wanted ?? (await records.store.match(''));
  const found = new Map<string, SummarizedRun>();
  const unreadable = await visitSummaries(records, runIds, (run) => {
    found.set(run.summary.run_id, run);
  });
  return { runs: runIds.flatMap((runId) => found.get(runId) ?? []), unreadable };
}

/** How many runs are read at the same time. */
const BATCH_SIZE = 32;

/**
 * Summarizes runs one after the other, in no order. The log of an ended run is read once; it is read again if its size
 * changed, because a publication or a notification can follow the end. Returns the runs whose record can't be read.
 */
export async function visitSummaries(
  records: SummaryRecords,
  runIds: readonly string[],
  take: (run: SummarizedRun) => void,
): Promise<SummarizedRuns['unreadable']> {
  const all = await records.store.match('');
  // A folder without a log is left by a run that never started.
  const left = new Map(await records.summaries.logSizes(runIds));
  await records.summaries.visit(({ logBytes, summary }) => {
    if (left.get(summary.run_id) !== logBytes) return;
    left.delete(summary.run_id);
    take({ summary, isDriven: false });
  });
  const readSummary = createSummaryReader();
  const unreadable: { runId: string; problem: RecordProblem }[] = [];
  const rest = runIds.filter((runId) => left.has(runId));
  for (let start = 0; start < rest.length; start += BATCH_SIZE) {
    const batch = rest.slice(start, start + BATCH_SIZE);
    const read = await Promise.all(batch.map((runId) => readRunSummary(records, runId, readSummary)));
    const fresh: KeptSummary[] = [];
    for (const [at, each] of read.entries()) {
      const runId = batch[at] ?? '';
      if (!each.ok) unreadable.push({ runId, problem: each.problem });
      else {
        const { summary, isDriven } = each.run;
        take(each.run);
        if (hasEnded(summary) && !isDriven) fresh.push({ logBytes: left.get(runId) ?? 0, summary });
      }
    }
    await records.summaries.keep(fresh, all);
  }
  return unreadable;
}

/** Reads the log of one run and summarizes it. */
export async function readRunSummary(
  { store }: Pick<SummaryRecords, 'store'>,
  runId: string,
  readSummary: ReadSummary,
): Promise<
  { readonly ok: true; readonly run: SummarizedRun } | { readonly ok: false; readonly problem: RecordProblem }
> {
  const read = await store.read(runId);
  if (!read.ok) return read;
  const summary = await readSummary(read.run);
  return summary === null
    ? { ok: false, problem: { kind: 'missing' } }
    : { ok: true, run: { summary, isDriven: read.run.driver !== null } };
}
