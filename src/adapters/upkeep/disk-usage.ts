import { lstat, readdir, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { DiskSpace } from '../../ports/work/disk-space.ts';

/** Number of files to read at once. */
const AT_ONCE = 64;
/** With less than this, git and agents fail in ways that look like failures of the work. */
const LEAST_FREE_BYTES = 16 * 1024 * 1024;

/** Bytes of all files below a path, as far as they can be read; links are not followed. */
export async function folderSize(path: string): Promise<number> {
  return (await folderSizeUntil(path, Number.POSITIVE_INFINITY)).bytes;
}

/** Like `folderSize`, but stops at `deadline`, in milliseconds since the epoch. */
export async function folderSizeUntil(
  path: string,
  deadline: number,
): Promise<{ readonly bytes: number; readonly isComplete: boolean }> {
  const own = await lstat(path).catch(() => null);
  if (own === null) return { bytes: 0, isComplete: true };
  if (!own.isDirectory()) return { bytes: own.size, isComplete: true };
  let bytes = 0;
  let isComplete = true;
  const names = await readdir(path).catch((): string[] => []);
  for (let start = 0; start < names.length; start += AT_ONCE) {
    if (Date.now() > deadline) return { bytes, isComplete: false };
    const sizes = names
      .slice(start, start + AT_ONCE)
      .map((name) => folderSizeUntil(join(path, name), deadline));
    for (const size of await Promise.all(sizes)) {
      bytes += size.bytes;
      isComplete &&= size.isComplete;
    }
  }
  return { bytes, isComplete };
}

/** Bytes that the user may still write on the disk of a path or of its nearest existing folder; null if unknown. */
export async function readFreeBytes(path: string): Promise<number | null> {
  const found = await statfs(path).catch(() => null);
  if (found !== null) return found.bavail * found.bsize;
  const parent = dirname(path);
  return parent === path ? null : readFreeBytes(parent);
}

export function createDiskSpace(folders: readonly string[]): DiskSpace {
  return {
    findFullFolder: async () => {
      for (const folder of folders) {
        const free = await readFreeBytes(folder);
        if (free !== null && free < LEAST_FREE_BYTES) return folder;
      }
      return null;
    },
  };
}
