import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** A search of the worktree stops after this many files. */
const SEARCH_LIMIT = 50_000;

/** Folders that git and conductor write to by themselves. */
const IGNORED_FOLDERS = ['.git', '.tnh'];

/** Whether a file or folder below `folder` was modified after `marker` was last written. */
export async function hasFileModifiedSince(folder: string, marker: string): Promise<boolean> {
  const since = (await lstat(marker, { bigint: true })).mtimeNs;
  const open = [folder];
  let visited = 0;
  for (let next = open.pop(); next !== undefined && visited < SEARCH_LIMIT; next = open.pop()) {
    const found = await lstat(next, { bigint: true }).catch(() => null);
    visited += 1;
    if (found === null) continue;
    if (found.mtimeNs > since) return true;
    if (!found.isDirectory()) continue;
    const names = await readdir(next).catch((): string[] => []);
    open.push(
      ...names.filter((name) => !IGNORED_FOLDERS.includes(name)).map((name) => join(next ?? '', name)),
    );
  }
  return false;
}
