import { randomBytes } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { HOUR_MS } from '../../contracts/duration.ts';
import { syncFolder } from '../../node/atomic-file.ts';
import { hasErrorCode } from '../../text/error-code.ts';
import { writeAll } from './durable-file.ts';
import { classifyHolder } from './holder-state.ts';
import { formatIdentity, lookUpProcess, parseIdentity, thisProcess } from './process-identity.ts';

/**
 * Lines of several logs in the order they were written, in a file that belongs to this process. A line contains its run
 * and its sequence number, so the journal needs no format of its own.
 */
export interface Journal {
  /** Returns when the text is on disk. */
  readonly append: (text: string) => Promise<void>;
  readonly bytes: () => number;
  readonly empty: () => Promise<void>;
  /** Closes the file until there is more to write. */
  readonly rest: () => Promise<void>;
}

const FOLDER = '.journal';

/**
 * A process in another PID namespace can't see whether the process of a journal is alive, and a journal has no lease.
 * Instead, its process abandons the journal after an idle hour, and other processes keep it for a day.
 */
const IDLE_LIMIT_MS = HOUR_MS;
const KEEP_MS = 24 * HOUR_MS;

export function createJournal(runsDir: string): Journal {
  const folder = join(runsDir, FOLDER);
  let path: string | null = null;
  let bytes = 0;
  let usedMs = 0;
  let handle: FileHandle | null = null;
  const abandon = async () => {
    const oldHandle = handle;
    path = null;
    handle = null;
    bytes = 0;
    await oldHandle?.close();
  };
  return {
    append: async (text) => {
      if (Date.now() - usedMs > IDLE_LIMIT_MS) await abandon();
      usedMs = Date.now();
      path ??= await makeJournal(folder);
      handle ??= await open(path, 'a');
      try {
        writeAll(handle.fd, text);
        await handle.datasync();
        bytes += Buffer.byteLength(text);
      } catch (error) {
        // The end of the file is unknown now, and the next line must not be appended to a partial one.
        await abandon();
        throw error;
      }
    },
    bytes: () => bytes,
    empty: async () => {
      await handle?.truncate(0);
      bytes = 0;
    },
    rest: async () => {
      const resting = handle;
      handle = null;
      await resting?.close();
    },
  };
}

async function makeJournal(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  const nonce = randomBytes(6).toString('hex');
  const path = join(folder, `${formatIdentity(thisProcess())}.${nonce}.ndjson`);
  await (await open(path, 'ax')).close();
  await syncFolder(folder);
  return path;
}

export interface FoundJournal {
  readonly path: string;
  /** Its process is gone or has abandoned it. Only then may it be discarded. */
  readonly isLeft: boolean;
  readonly text: string;
}

/**
 * Finds the journals of other processes. The caller removes an abandoned one with `removeIfPresent` once its runs have
 * all of its lines. Journals of living processes are useful, too: the holder of a run's lock may complete its log from
 * any of them.
 */
export async function findJournals(runsDir: string): Promise<readonly FoundJournal[]> {
  const folder = join(runsDir, FOLDER);
  const own = formatIdentity(thisProcess());
  const found: FoundJournal[] = [];
  for (const name of await listNames(folder)) {
    const [, owner] = /^(.*)\.[0-9a-f]+\.ndjson$/.exec(name) ?? [];
    if (owner === undefined || owner === own) continue;
    const path = join(folder, name);
    const journal = await readJournal(path);
    if (journal !== null) found.push({ path, isLeft: isAbandoned(owner, journal.ageMs), text: journal.text });
  }
  return found;
}

function isAbandoned(owner: string, ageMs: number): boolean {
  const identity = parseIdentity(owner);
  if (identity === null) return false;
  const seen = { process: lookUpProcess(identity.pid), leaseAgeMs: ageMs };
  return classifyHolder(identity, thisProcess(), seen, KEEP_MS) !== 'alive';
}

/** The runs that a journal has lines of. */
export function runsIn({ text }: Pick<FoundJournal, 'text'>): ReadonlySet<string> {
  return new Set(wholeLines(text).flatMap((line) => runOf(line) ?? []));
}

/**
 * The lines of one run, without their line feeds. Searches for the run id first: most journals don't contain it, and
 * parsing a long one is expensive.
 */
export function linesOf({ text }: Pick<FoundJournal, 'text'>, runId: string): readonly string[] {
  if (!text.includes(runId)) return [];
  return wholeLines(text).filter((line) => line.includes(runId) && runOf(line) === runId);
}

/** A last line without its line feed was never acknowledged and does not count. */
function wholeLines(text: string): readonly string[] {
  return text.split('\n').slice(0, -1);
}

function runOf(line: string): string | null {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value !== 'object' || value === null || !('run_id' in value)) return null;
    return typeof value.run_id === 'string' ? value.run_id : null;
  } catch {
    return null;
  }
}

async function listNames(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT')) return [];
    throw error;
  }
}

async function readJournal(path: string): Promise<{ readonly text: string; readonly ageMs: number } | null> {
  try {
    const file = await open(path, 'r');
    try {
      const { mtimeMs } = await file.stat();
      return { text: await file.readFile('utf8'), ageMs: Date.now() - mtimeMs };
    } finally {
      await file.close();
    }
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT')) return null;
    throw error;
  }
}
