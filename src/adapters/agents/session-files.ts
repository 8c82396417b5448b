import { constants } from 'node:fs';
import { cp, lstat, mkdir, open, readdir, rm, rmdir } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';

/**
 * The files in which the program of an agent keeps a session: every file or folder whose name holds the session's id. Links
 * are passed over: an agent can write there, and what it points at is not of its session.
 */

/** Deep enough for `sessions/2026/11/16/rollout-…`. */
const DEEPEST = 5;

/** A word that stands in names of files, and nothing that leads elsewhere. */
function isSessionId(id: string): boolean {
  return /^[A-Za-z0-9][\w.-]{3,127}$/.test(id);
}

/** Paths of the session below a folder, relative to it. */
export async function findSessionFiles(folder: string, id: string): Promise<string[]> {
  if (!isSessionId(id)) return [];
  const found: string[] = [];
  const look = async (place: string, depth: number): Promise<void> => {
    const entries = await readdir(place, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      if (!entry.isFile() && !entry.isDirectory()) continue;
      const path = join(place, entry.name);
      if (entry.name.includes(id)) found.push(relative(folder, path));
      else if (entry.isDirectory() && depth < DEEPEST) await look(path, depth + 1);
    }
  };
  await look(folder, 1);
  return found.sort();
}

/** Copies what is there, without links. */
export async function copyFolder(from: string, to: string): Promise<void> {
  const isThere = await lstat(from).then(
    (entry) => entry.isDirectory() || entry.isFile(),
    () => false,
  );
  if (!isThere) return;
  await mkdir(dirname(to), { recursive: true });
  await cp(from, to, {
    recursive: true,
    force: true,
    filter: async (source) => {
      const entry = await lstat(source).catch(() => null);
      return entry !== null && (entry.isDirectory() || entry.isFile());
    },
  });
}

/** Copies the files of a session from one folder to the same places in another. */
export async function copySession(id: string, from: string, to: string): Promise<void> {
  for (const path of await findSessionFiles(from, id)) await copyFolder(join(from, path), join(to, path));
}

/** Moves the files of a session; folders that it leaves empty go too. */
export async function moveSession(id: string, from: string, to: string): Promise<void> {
  for (const path of await findSessionFiles(from, id)) {
    await copyFolder(join(from, path), join(to, path));
    await rm(join(from, path), { recursive: true, force: true });
    for (let place = dirname(path); place !== '.'; place = dirname(place)) {
      const isRemoved = await rmdir(join(from, place)).then(
        () => true,
        () => false,
      );
      if (!isRemoved) break;
    }
  }
}

const MASK_BYTE = 0x2a;
/** An agent can put links and pipes there: the first lead elsewhere, the second would block. */
const EDIT_FLAGS = constants.O_RDWR | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Blots secrets out of all files below a folder, byte by byte, so that no format breaks by it. */
export async function maskFiles(folder: string, secrets: readonly string[]): Promise<void> {
  const values = secrets.filter((secret) => secret !== '').map((secret) => Buffer.from(secret));
  if (values.length === 0) return;
  const names = await readdir(folder, { recursive: true }).catch((): string[] => []);
  for (const name of names) await maskFile(join(folder, name), values);
}

async function maskFile(path: string, values: readonly Buffer[]): Promise<void> {
  const file = await open(path, EDIT_FLAGS).catch(() => null);
  if (file === null) return;
  try {
    if (!(await file.stat()).isFile()) return;
    const bytes = await file.readFile();
    for (const value of values)
      for (let at = bytes.indexOf(value); at >= 0; at = bytes.indexOf(value, at + value.length)) {
        bytes.fill(MASK_BYTE, at, at + value.length);
        await file.write(bytes, at, value.length, at);
      }
  } finally {
    await file.close();
  }
}

/** Lines of the one JSON Lines file of a session; empty if there is none. */
export async function readSessionLines(folder: string, id: string): Promise<string[]> {
  const [path] = (await findSessionFiles(folder, id)).filter((name) => basename(name).endsWith('.jsonl'));
  if (path === undefined) return [];
  const file = await open(join(folder, path), 'r').catch(() => null);
  if (file === null) return [];
  try {
    return (await file.readFile('utf8')).split('\n');
  } finally {
    await file.close();
  }
}
