import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Status, statusSchema } from '../../contracts/run-files.ts';
import type { RunListing } from '../../ports/run-store.ts';
import { isCode, writeAtomically } from './atomic-file.ts';
import { readRegularFile } from './regular-file.ts';
import { findDriver } from './run-lock.ts';

/** A line for each run that has ended, with its last status. Made from the folders again where it is lacking. */
const INDEX_FILE = 'index.ndjson';
/** Files open at once while folders are read. */
const AT_ONCE = 64;

/** The folders say which runs there are; the index only saves reading those that can't change any more. */
export async function listRuns(
  runsDir: string,
  runIds: readonly string[],
  leaseMs: number,
): Promise<readonly RunListing[]> {
  const indexPath = join(runsDir, INDEX_FILE);
  const index = await readIndex(indexPath);
  const listings = await inGroups(runIds, async (runId): Promise<RunListing> => {
    const path = join(runsDir, runId);
    const status = index.ended.get(runId);
    if (status !== undefined) return { runId, path, status, driverPid: null };
    const driverPid = (await findDriver(path, leaseMs))?.pid ?? null;
    return { runId, path, status: await readStatus(path), driverPid };
  });
  const ended = listings.filter(({ status, driverPid }) => driverPid === null && hasEnded(status));
  const fresh = ended.filter(({ runId }) => !index.ended.has(runId));
  // A list that can't be kept is a slower list next time, and nothing else.
  await keepIndex(indexPath, index.lines, ended, fresh).catch(() => {});
  return listings;
}

async function keepIndex(
  path: string,
  lines: number,
  ended: readonly RunListing[],
  fresh: readonly RunListing[],
): Promise<void> {
  if (lines > 2 * ended.length + AT_ONCE) await writeAtomically(path, linesOf(ended), false);
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

/** Lines that make no sense, such as one torn by a crash, are passed over: the folder is read instead. */
async function readIndex(path: string): Promise<Index> {
  const ended = new Map<string, Status>();
  const lines = (await textOf(path)).split('\n').filter((line) => line !== '');
  for (const line of lines) {
    const status = parseStatus(line);
    if (status !== null && hasEnded(status)) ended.set(status.run_id, status);
  }
  return { ended, lines: lines.length };
}

async function readStatus(runPath: string): Promise<Status | null> {
  return parseStatus(await textOf(join(runPath, 'status.json')));
}

function parseStatus(text: string): Status | null {
  try {
    const parsed = statusSchema.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}

async function textOf(path: string): Promise<string> {
  try {
    return (await readRegularFile(path)).toString('utf8');
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EISDIR', 'EACCES'].some((code) => isCode(error, code))) return '';
    throw error;
  }
}

async function inGroups<T, R>(items: readonly T[], one: (item: T) => Promise<R>): Promise<readonly R[]> {
  const results: R[] = [];
  for (let start = 0; start < items.length; start += AT_ONCE)
    results.push(...(await Promise.all(items.slice(start, start + AT_ONCE).map(one))));
  return results;
}
