import type { Dirent } from 'node:fs';
import { readdir, unlink } from 'node:fs/promises';
import { hasCode } from './file-kind.ts';

const FOLDERS_AT_ONCE = 32;
const SLASH = Buffer.from('/');
/** There are many files in these, and git reads them by names that an agent can't guess. */
const LARGE_GIT_FOLDERS = ['objects', 'lfs'];

interface Clearing {
  readonly goes: (entry: Dirent<Buffer>, path: string) => boolean;
  readonly enters: (entry: Dirent<Buffer>) => boolean;
}

/**
 * Takes pipes, sockets and devices out of a worktree, for moments when nobody works in it. Git can't keep them, fails
 * where one stands in the place of a file, and waits for ever for somebody to write where one is called `.gitignore`.
 * Nothing is lost: they hold nothing. The link to the repository is left to those who repair it.
 */
export async function removeSpecialFiles(worktreePath: string): Promise<void> {
  await clear(worktreePath, {
    goes: (entry, path) => !entry.isFile() && !entry.isSymbolicLink() && path !== `${worktreePath}/.git`,
    enters: () => true,
  });
}

/** As `removeSpecialFiles`, for git's own folder, where a socket may be somebody's at work. Returns where they were. */
export async function removeGitPipes(gitDir: string): Promise<string[]> {
  const removed = await clear(gitDir, {
    goes: (entry) => entry.isFIFO(),
    enters: ({ name }) => !LARGE_GIT_FOLDERS.includes(name.toString()),
  });
  return removed.map((path) => path.slice(gitDir.length + 1)).sort();
}

async function clear(folder: string, clearing: Clearing): Promise<string[]> {
  const removed: string[] = [];
  const waiting: Buffer[] = [Buffer.from(folder)];
  while (waiting.length > 0) {
    const next = waiting.splice(0, FOLDERS_AT_ONCE);
    for (const found of await Promise.all(next.map((path) => clearFolder(path, clearing)))) {
      removed.push(...found.removed);
      waiting.push(...found.folders);
    }
  }
  return removed;
}

/** Names are bytes: what is not UTF-8 must be found too. */
async function clearFolder(folder: Buffer, { goes, enters }: Clearing) {
  const [folders, removed]: [Buffer[], string[]] = [[], []];
  for (const entry of await entriesOf(folder)) {
    const path = Buffer.concat([folder, SLASH, entry.name]);
    if (entry.isDirectory()) {
      if (enters(entry)) folders.push(path);
    } else if (goes(entry, path.toString())) {
      await unlink(path);
      removed.push(path.toString());
    }
  }
  return { folders, removed };
}

/** A folder that may not be read is one that git can't read either, and tells of. */
async function entriesOf(folder: Buffer): Promise<Dirent<Buffer>[]> {
  try {
    return await readdir(folder, { encoding: 'buffer', withFileTypes: true });
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EACCES'].some((code) => hasCode(error, code))) return [];
    throw error;
  }
}
