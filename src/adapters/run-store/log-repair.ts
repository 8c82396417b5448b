import { type FileHandle, open, readdir, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { syncFolder, writeAtomically } from '../../node/atomic-file.ts';
import { exists, removeIfPresent, syncFile } from './durable-file.ts';
import { EMPTY_LOG, EVENTS_FILE, type IntactLog, missingLines, readLog } from './event-log.ts';
import { type FoundJournal, findJournals, linesOf, runsIn } from './journal.ts';
import type { LeaseTiming } from './lease.ts';
import { readRegularFile } from './regular-file.ts';
import { acquireLock } from './run-lock.ts';

/**
 * Cuts a log down to its complete lines and keeps a torn tail beside it. After a takeover the log becomes a new file of
 * the same name: a driver that is stopped in the middle of an append may continue it at any time, and then writes to
 * the old file, which no longer has a name. Only the holder of the lock may call this.
 */
export async function settleLog(
  logPath: string,
  { torn, intactBytes }: Pick<IntactLog, 'torn' | 'intactBytes'>,
  { isTakeover }: { readonly isTakeover: boolean },
): Promise<void> {
  if (torn.length > 0) await writeFile(`${logPath}.torn-${intactBytes}`, torn);
  if (isTakeover) {
    const content = await readRegularFile(logPath);
    await writeAtomically(logPath, content.subarray(0, intactBytes), { durable: true });
  } else if (torn.length > 0) await modifyFile(logPath, 'r+', (log) => log.truncate(intactBytes));
}

/**
 * Removes temporary files of derived files that a dead process did not finish. The next process writes the derived
 * files again.
 */
export async function clearHalfWritten(runPath: string): Promise<void> {
  for (const name of await readdir(runPath))
    if (/^(?:status\.json|metadata\.json|final-state\.txt|events\.ndjson)\.[0-9a-f]{12}\.tmp$/.test(name))
      await unlink(join(runPath, name));
}

/**
 * After a power loss a log may lack lines that only the journal of its process has made durable. Completes all runs of
 * a journal whose process is gone, and then removes the journal.
 */
export async function adoptJournals(runsDir: string, timing: LeaseTiming): Promise<void> {
  for (const journal of await findJournals(runsDir)) {
    if (!journal.isLeft) continue;
    let isComplete = true;
    for (const runId of runsIn(journal))
      isComplete = (await completeRun(join(runsDir, runId), runId, [journal], timing)) && isComplete;
    if (isComplete) await removeIfPresent(journal.path);
  }
}

/**
 * Returns false if the log could not be completed. If another process drives the run, that process has completed it.
 */
async function completeRun(
  runPath: string,
  runId: string,
  journals: readonly FoundJournal[],
  timing: LeaseTiming,
): Promise<boolean> {
  if (!(await exists(runPath))) return true;
  const lock = await acquireLock(runPath, timing);
  if (!lock.ok) return true;
  try {
    return await completeLog(runPath, runId, journals, lock);
  } finally {
    await lock.lease.release();
  }
}

/**
 * Appends the journal lines that the log lacks, and makes sure that all of it is on disk. Returns false for a damaged
 * log. Only the holder of the lock may call this: since no other process may add to the run, it doesn't matter whether
 * the processes of the journals are alive.
 */
export async function completeLog(
  runPath: string,
  runId: string,
  journals: readonly FoundJournal[],
  takeover: { readonly isTakeover: boolean },
): Promise<boolean> {
  const lines = journals.flatMap((journal) => linesOf(journal, runId));
  if (lines.length === 0) return true;
  const logPath = join(runPath, EVENTS_FILE);
  const found = await readLog(logPath);
  const reading = found ?? EMPTY_LOG;
  if (!reading.ok) return false;
  const missing = missingLines(lines, reading.end);
  if (found !== null && (missing !== '' || takeover.isTakeover)) await settleLog(logPath, reading, takeover);
  if (missing !== '') await modifyFile(logPath, 'a', (log) => log.writeFile(missing));
  else if (found !== null) await syncFile(logPath);
  await syncFolder(runPath);
  return true;
}

async function modifyFile(
  path: string,
  flags: 'a' | 'r+',
  work: (file: FileHandle) => Promise<unknown>,
): Promise<void> {
  const file = await open(path, flags);
  try {
    await work(file);
    await file.sync();
  } finally {
    await file.close();
  }
}
