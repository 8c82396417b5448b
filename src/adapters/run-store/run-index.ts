import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Status, statusSchema } from '../../contracts/run/run-files.ts';
import { writeAtomically } from '../../node/atomic-file.ts';
import type { RunListing } from '../../ports/run-store.ts';
import { hasErrorCode } from '../../text/error-code.ts';
import { readRegularFile } from './regular-file.ts';
import { findDriver } from './run-lock.ts';

/** A line with the last status of each run that has ended. Missing lines are rebuilt from the folders. */
const INDEX_FILE = 'index.ndjson';
/** Maximum number of runs that are read at the same time. */
const BATCH_SIZE = 64;

/**
 * Lists the runs. The folders decide which runs exist; the index only saves reading those that can no longer change.
 */
export async function listRuns(
  runsDir: string,
  runIds: readonly string[],
  leaseMs: number,
): Promise<readonly RunListing[]> {
  const indexPath = join(runsDir, INDEX_FILE);
  const index = await readIndex(indexPath);
  const listings = await mapInBatches(runIds, async (runId): Promise<RunListing> => {
    const status = index.ended.get(runId);
    return status === undefined
      ? listRun(runsDir, runId, leaseMs)
      : { runId, path: join(runsDir, runId), status, driver: null };
  });
  const ended = listings.filter(({ status, driver }) => driver === null && hasEnded(status));
  const fresh = ended.filter(({ runId }) => !index.ended.has(runId));
  // If the index can't be written, the next list is slower, but still right.
  await keepIndex(indexPath, index.lines, ended, fresh).catch(() => {});
  return listings;
}

/** Lists some runs from their folders, without reading the index of all. */
export function listSomeRuns(
  runsDir: string,
  runIds: readonly string[],
  leaseMs: number,
): Promise<readonly RunListing[]> {
  return mapInBatches(runIds, (runId) => listRun(runsDir, runId, leaseMs));
}

async function listRun(runsDir: string, runId: string, leaseMs: number): Promise<RunListing> {
  const path = join(runsDir, runId);
  const driver = await findDriver(path, leaseMs);
  return { runId, path, status: await readStatus(path), driver };
}

async function keepIndex(
  path: string,
  lines: number,
  ended: readonly RunListing[],
  fresh: readonly RunListing[],
): Promise<void> {
  if (lines > 2 * ended.length + BATCH_SIZE) await writeAtomically(path, linesOf(ended));
  else if (fresh.length > 0) await appendFile(path, linesOf(fresh));
}

function hasEnded(status: Status | null): boolean {
  return status !== null && status.lifecycle_state !== 'running' && status.lifecycle_state !== 'waiting';
}

function linesOf(listings: readonly RunListing[]): string {
  return listings.map(({ status }) => `${JSON.stringify(status)}\n`).join('');
}

interface Index {
  readonly ended: ReadonlyMap<string, Status>;
  readonly lines: number;
}

/** Skips invalid lines, such as one torn by a crash: the folder is read instead. */
async function readIndex(path: string): Promise<Index> {
  const ended = new Map<string, Status>();
  const lines = (await readTextIfPresent(path)).split('\n').filter((line) => line !== '');
  for (const line of lines) {
    const status = parseStatus(line);
    if (status !== null && hasEnded(status)) ended.set(status.run_id, status);
  }
  return { ended, lines: lines.length };
}

async function readStatus(runPath: string): Promise<Status | null> {
  return parseStatus(await readTextIfPresent(join(runPath, 'status.json')));
}

function parseStatus(text: string): Status | null {
  try {
    const parsed = statusSchema.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}

/** Empty if the file is missing or can't be opened. */
async function readTextIfPresent(path: string): Promise<string> {
  try {
    return (await readRegularFile(path)).toString('utf8');
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EISDIR', 'EACCES'].some((code) => hasErrorCode(error, code))) return '';
    throw error;
  }
}

export async function mapInBatches<T, R>(
  items: readonly T[],
  work: (item: T) => Promise<R>,
): Promise<readonly R[]> {
  const results: R[] = [];
  for (let start = 0; start < items.length; start += BATCH_SIZE)
    results.push(...(await Promise.all(items.slice(start, start + BATCH_SIZE).map(work))));
  return results;
}
