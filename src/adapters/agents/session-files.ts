import { constants } from 'node:fs';
import { cp, lstat, mkdir, open, readdir, rm, rmdir } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';

/**
 * The files in which the program of an agent stores a session: every file or folder whose name contains the
 * session's id. Links are skipped: an agent can create them, and their targets aren't part of its session.
 */

/** Enough for `sessions/2026/11/16/rollout-…`. */
const MAX_DEPTH = 5;

/** Whether an id can be searched for: a file name can contain it, and it is too long to match by accident. */
function isSessionId(id: string): boolean {
  return /^[A-Za-z0-9][\w.-]{3,127}$/.test(id);
}

/** The paths of a session's files and folders below a folder, relative to it. */
export async function findSessionFiles(folder: string, id: string): Promise<string[]> {
  if (!isSessionId(id)) return [];
  const found: string[] = [];
  const search = async (parent: string, depth: number): Promise<void> => {
    const entries = await readdir(parent, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      if (!entry.isFile() && !entry.isDirectory()) continue;
      const path = join(parent, entry.name);
      if (entry.name.includes(id)) found.push(relative(folder, path));
      else if (entry.isDirectory() && depth < MAX_DEPTH) await search(path, depth + 1);
    }
  };
  await search(folder, 1);
  return found.sort();
}

/** Copies a file or folder if it exists, without links. */
export async function copyTree(from: string, to: string): Promise<void> {
  const exists = await lstat(from).then(
    (entry) => entry.isDirectory() || entry.isFile(),
    () => false,
  );
  if (!exists) return;
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
  for (const path of await findSessionFiles(from, id)) await copyTree(join(from, path), join(to, path));
}

/** Moves the files of a session and removes the folders that become empty. */
export async function moveSession(id: string, from: string, to: string): Promise<void> {
  for (const path of await findSessionFiles(from, id)) {
    await copyTree(join(from, path), join(to, path));
    await rm(join(from, path), { recursive: true, force: true });
    for (let parent = dirname(path); parent !== '.'; parent = dirname(parent)) {
      const isRemoved = await rmdir(join(from, parent)).then(
        () => true,
        () => false,
      );
      if (!isRemoved) break;
    }
  }
}

const MASK_BYTE = 0x2a;
/** An agent can create links and pipes at these paths: a link would lead elsewhere, a pipe would block. */
const EDIT_FLAGS = constants.O_RDWR | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Overwrites secrets in all files below a folder with bytes of the same length, so that no format breaks. */
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

/** The lines of the JSON Lines file of a session; empty if it has none. */
export async function readSessionLines(folder: string, id: string): Promise<string[]> {
  const path = (await findSessionFiles(folder, id)).find((name) => name.endsWith('.jsonl'));
  if (path === undefined) return [];
  const file = await open(join(folder, path), 'r').catch(() => null);
  if (file === null) return [];
  try {
    return (await file.readFile('utf8')).split('\n');
  } finally {
    await file.close();
  }
}
