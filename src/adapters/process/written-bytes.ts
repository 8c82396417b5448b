import { statfsSync, statSync } from 'node:fs';
import { lstat, readdir, stat } from 'node:fs/promises';

/** Disk space of even an empty file: its inode and its entry in a folder. */
const FILE_BYTES = 4096;
const BLOCK_BYTES = 512;
const FOLDERS_AT_ONCE = 16;
const SLASH = Buffer.from('/');

/**
 * Measures how much free space the file systems of some folders have lost since the start: a cheap upper bound for the
 * bytes written.
 */
export function watchFreeSpace(folders: readonly string[]): () => number {
  const byDevice = new Map<number, string>();
  for (const folder of folders) {
    const device = statSync(folder, { throwIfNoEntry: false })?.dev;
    if (device !== undefined) byDevice.set(device, folder);
  }
  const places = [...byDevice.values()];
  const before = places.map(freeBytes);
  return () => places.reduce((sum, place, at) => sum + Math.max(0, (before[at] ?? 0) - freeBytes(place)), 0);
}

function freeBytes(folder: string): number {
  try {
    const { bfree, bsize, ffree } = statfsSync(folder);
    return bfree * bsize + ffree * FILE_BYTES;
  } catch {
    return 0;
  }
}

export interface MeasureRequest {
  readonly folders: readonly string[];
  /** Open files that no folder may list any more, by a path below `/proc`. */
  readonly openFiles: readonly string[];
  /** Only files that were written since count. */
  readonly sinceMs: number;
  /** The walk ends once it has found this much. */
  readonly limit: number;
}

/** Disk space of the files that were written since a point in time. Holes take no space. */
export async function measureWritten(request: MeasureRequest): Promise<number> {
  const { folders, openFiles, sinceMs, limit } = request;
  let bytes = 0;
  const waiting: Buffer[] = folders.map((folder) => Buffer.from(folder));
  while (waiting.length > 0 && bytes <= limit) {
    const next = waiting.splice(-FOLDERS_AT_ONCE);
    for (const found of await Promise.all(next.map((folder) => measureFolder(folder, sinceMs)))) {
      bytes += found.bytes;
      waiting.push(...found.folders);
    }
  }
  for (const path of bytes > limit ? [] : openFiles) {
    const found = await stat(path).catch(() => null);
    if (found?.isFile() && found.nlink === 0 && found.ctimeMs >= sinceMs) bytes += found.blocks * BLOCK_BYTES;
  }
  return bytes;
}

async function measureFolder(folder: Buffer, sinceMs: number): Promise<{ bytes: number; folders: Buffer[] }> {
  const entries = await readdir(folder, { encoding: 'buffer', withFileTypes: true }).catch(() => []);
  const folders: Buffer[] = [];
  let bytes = 0;
  for (const entry of entries) {
    const path = Buffer.concat([folder, SLASH, entry.name]);
    if (entry.isDirectory()) folders.push(path);
    const found = await lstat(path).catch(() => null);
    if (found !== null && found.ctimeMs >= sinceMs) bytes += Math.max(FILE_BYTES, found.blocks * BLOCK_BYTES);
  }
  return { bytes, folders };
}
