import { type FileHandle, open, readdir, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { exists, syncFolder } from './atomic-file.ts';
import { EMPTY_LOG, EVENTS_FILE, type LogReading, missingLines, readLog } from './event-log.ts';
import { discardJournal, leftJournals } from './journal.ts';
import { acquireLock } from './run-lock.ts';

/** A torn tail is cut off and kept beside the log. Only for who holds the lock. */
export async function setTornAside(
  logPath: string,
  { torn, soundBytes }: Pick<Extract<LogReading, { ok: true }>, 'torn' | 'soundBytes'>,
): Promise<void> {
  if (torn.length === 0) return;
  await writeFile(`${logPath}.torn-${soundBytes}`, torn);
  await change(logPath, 'r+', (log) => log.truncate(soundBytes));
}

/** Derived files that a dead process had not put in place yet; the next one writes them anew. */
export async function clearHalfWritten(runPath: string): Promise<void> {
  for (const name of await readdir(runPath))
    if (/^(?:status\.json|metadata\.json|final-state\.txt)\.[0-9a-f]{12}\.tmp$/.test(name))
      await unlink(join(runPath, name));
}

/**
 * After a power loss a log may lack lines that only the journal of its process has made durable. All runs
 * of such a journal are completed, and then it is put away.
 */
export async function takeInJournals(runsDir: string): Promise<void> {
  for (const journal of await leftJournals(runsDir)) {
    let whole = true;
    for (const [runId, lines] of journal.lines)
      whole = (await complete(join(runsDir, runId), lines)) && whole;
    if (whole) await discardJournal(journal.path);
  }
}

/** False when the log could not be completed. A run that another process drives was completed by that one. */
async function complete(runPath: string, lines: readonly string[]): Promise<boolean> {
  if (!(await exists(runPath))) return true;
  const lock = await acquireLock(runPath);
  if (!lock.ok) return true;
  try {
    const logPath = join(runPath, EVENTS_FILE);
    const reading = (await readLog(logPath)) ?? EMPTY_LOG;
    if (!reading.ok) return false;
    const missing = missingLines(lines, reading.end);
    if (missing === '') return true;
    await setTornAside(logPath, reading);
    await change(logPath, 'a', (log) => log.writeFile(missing));
    await syncFolder(runPath);
    return true;
  } finally {
    await lock.release();
  }
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
