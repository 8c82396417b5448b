import { type FileHandle, open, readdir, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { exists, syncFile, syncFolder, writeAtomically } from './atomic-file.ts';
import { EMPTY_LOG, EVENTS_FILE, missingLines, readLog, type SoundLog } from './event-log.ts';
import { discardJournal, type FoundJournal, findJournals, linesOf, runsIn } from './journal.ts';
import type { LeaseTiming } from './lease.ts';
import { readRegularFile } from './regular-file.ts';
import { acquireLock } from './run-lock.ts';

/**
 * Leaves the whole lines only; a torn tail is cut off and kept beside the log. After a takeover the log becomes a new
 * file of the same name: a driver that is stopped in the middle of an append may continue it at any time, and then
 * writes to the old file, which has no name any more. Only for the holder of the lock.
 */
export async function settleLog(
  logPath: string,
  { torn, soundBytes }: Pick<SoundLog, 'torn' | 'soundBytes'>,
  { isTakeover }: { readonly isTakeover: boolean },
): Promise<void> {
  if (torn.length > 0) await writeFile(`${logPath}.torn-${soundBytes}`, torn);
  if (isTakeover) {
    const content = await readRegularFile(logPath);
    await writeAtomically(logPath, content.subarray(0, soundBytes), true);
  } else if (torn.length > 0) await change(logPath, 'r+', (log) => log.truncate(soundBytes));
}

/** Derived files that a dead process had not put in place yet; the next one writes them anew. */
export async function clearHalfWritten(runPath: string): Promise<void> {
  for (const name of await readdir(runPath))
    if (/^(?:status\.json|metadata\.json|final-state\.txt|events\.ndjson)\.[0-9a-f]{12}\.tmp$/.test(name))
      await unlink(join(runPath, name));
}

/**
 * After a power loss a log may lack lines that only the journal of its process has made durable. All runs of a
 * journal whose process is gone are completed, and then it is removed.
 */
export async function takeInJournals(runsDir: string, timing: LeaseTiming): Promise<void> {
  for (const journal of await findJournals(runsDir)) {
    if (!journal.isLeft) continue;
    let whole = true;
    for (const runId of runsIn(journal))
      whole = (await completeRun(join(runsDir, runId), runId, [journal], timing)) && whole;
    if (whole) await discardJournal(journal.path);
  }
}

/** False when the log could not be completed. A run that another process drives was completed by that one. */
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
 * Adds what the log lacks and the journals have, and makes sure that all of it is on disk. False for a damaged log.
 * Only for the holder of the lock: since no other process may add to the run, it doesn't matter whether the processes
 * of the journals are alive.
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
  if (missing !== '') await change(logPath, 'a', (log) => log.writeFile(missing));
  else if (found !== null) await syncFile(logPath);
  await syncFolder(runPath);
  return true;
}

async function change(
  path: string,
  flags: 'a' | 'r+',
  by: (file: FileHandle) => Promise<unknown>,
): Promise<void> {
  const file = await open(path, flags);
  try {
    await by(file);
    await file.sync();
  } finally {
    await file.close();
  }
}
