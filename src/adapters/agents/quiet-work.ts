import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** A worktree of more files than this is not searched to its end. */
const LOOKS_LIMIT = 50_000;

/** What git and the conductor write by themselves. */
const OURS = ['.git', '.tnh'];

/** Whether a file or a folder below was changed after another file was last written. */
export async function hasChangedSince(folder: string, marker: string): Promise<boolean> {
  const since = (await lstat(marker, { bigint: true })).mtimeNs;
  const open = [folder];
  let looks = 0;
  for (let next = open.pop(); next !== undefined && looks < LOOKS_LIMIT; next = open.pop()) {
    const found = await lstat(next, { bigint: true }).catch(() => null);
    looks += 1;
    if (found === null) continue;
    if (found.mtimeNs > since) return true;
    if (!found.isDirectory()) continue;
    const names = await readdir(next).catch((): string[] => []);
    open.push(...names.filter((name) => !OURS.includes(name)).map((name) => join(next ?? '', name)));
  }
  return false;
}
