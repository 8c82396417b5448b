import { randomBytes } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, readFile, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { isCode, syncFolder, writeAll } from './atomic-file.ts';
import { formatIdentity, isAlive, parseIdentity, thisProcess } from './process-identity.ts';

/**
 * Lines of several logs in the order they were written, in a file that belongs to this process. A line says
 * itself which run it is of and where it goes, so the journal needs no form of its own.
 */
export interface Journal {
  /** Returns when the text is on disk. */
  readonly append: (text: string) => Promise<void>;
  readonly bytes: () => number;
  readonly empty: () => Promise<void>;
  /** Lets go of the file until there is more to write. */
  readonly rest: () => Promise<void>;
}

const FOLDER = '.journal';

export function createJournal(runsDir: string): Journal {
  const folder = join(runsDir, FOLDER);
  let path: string | null = null;
  let bytes = 0;
  let handle: FileHandle | null = null;
  return {
    append: async (text) => {
      path ??= await makeJournal(folder);
      handle ??= await open(path, 'a');
      try {
        writeAll(handle.fd, text);
        await handle.datasync();
        bytes += Buffer.byteLength(text);
      } catch (error) {
        // The end of the file is unknown now; a later line must not be glued to it.
        await handle.close();
        path = null;
        handle = null;
        bytes = 0;
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

export interface LeftJournal {
  readonly path: string;
  /** Whole lines without their line feeds, by the id of their run. */
  readonly lines: ReadonlyMap<string, readonly string[]>;
}

/** What processes that are gone have left. A journal is put away with `discardJournal` once its runs have it all. */
export async function leftJournals(runsDir: string): Promise<readonly LeftJournal[]> {
  const folder = join(runsDir, FOLDER);
  const left: LeftJournal[] = [];
  for (const name of await namesIn(folder)) {
    const owner = parseIdentity(name.split('.').slice(0, 3).join('.'));
    if (owner === null || isAlive(owner)) continue;
    const path = join(folder, name);
    const text = await textOf(path);
    if (text !== null) left.push({ path, lines: byRun(text) });
  }
  return left;
}

export async function discardJournal(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch (error) {
    if (!isCode(error, 'ENOENT')) throw error;
  }
}

/** A last line without its line feed was never acknowledged and does not count. */
function byRun(text: string): Map<string, string[]> {
  const lines = new Map<string, string[]>();
  for (const line of text.split('\n').slice(0, -1)) {
    const runId = runOf(line);
    if (runId === null) continue;
    const known = lines.get(runId);
    if (known === undefined) lines.set(runId, [line]);
    else known.push(line);
  }
  return lines;
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

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isCode(error, 'ENOENT')) return [];
    throw error;
  }
}

async function textOf(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (isCode(error, 'ENOENT')) return null;
    throw error;
  }
}
