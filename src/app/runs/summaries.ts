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

/**
 * Summarizes runs, by default all of the repository. The log of an ended run is read once; it is read again if its
 * size changed, because a publication or a notification can follow the end.
 */
export async function summarizeRuns(
  records: SummaryRecords,
  wanted: readonly string[] | null = null,
): Promise<SummarizedRuns> {
  const all = await records.store.match('');
  const runIds = wanted ?? all;
  const [kept, sizes] = await Promise.all([records.summaries.read(), records.summaries.logSizes(runIds)]);
  const readSummary = createSummaryReader();
  const runs: SummarizedRun[] = [];
  const unreadable: { runId: string; problem: RecordProblem }[] = [];
  const fresh: KeptSummary[] = [];
  const read = await mapInBatches(runIds, async (runId) => {
    const logBytes = sizes.get(runId);
    // A folder without a log is left by a run that never started.
    if (logBytes === undefined) return;
    const found = kept.get(runId);
    return found?.logBytes === logBytes
      ? { ok: true as const, run: { summary: found.summary, isDriven: false }, isKept: true, runId, logBytes }
      : { ...(await readRunSummary(records, runId, readSummary)), isKept: false, runId, logBytes };
  });
  for (const each of read) {
    if (each === undefined) continue;
    if (!each.ok) unreadable.push({ runId: each.runId, problem: each.problem });
    else {
      const { run, isKept, logBytes } = each;
      runs.push(run);
      if (!isKept && hasEnded(run.summary) && !run.isDriven) fresh.push({ logBytes, summary: run.summary });
    }
  }
  await records.summaries.keep(fresh, all);
  return { runs, unreadable };
}

/** How many runs are read at the same time. */
const BATCH_SIZE = 32;

async function mapInBatches<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<readonly R[]> {
  const results: R[] = [];
  for (let start = 0; start < items.length; start += BATCH_SIZE)
    results.push(...(await Promise.all(items.slice(start, start + BATCH_SIZE).map(work))));
  return results;
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
    : { ok: true, run: { summary, isDriven: read.run.driverPid !== null } };
}
