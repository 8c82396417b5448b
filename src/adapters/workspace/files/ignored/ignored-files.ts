import { lstat, readdir } from 'node:fs/promises';
import type { RunRepository } from '../../repository/run-repository.ts';
import { RUN_FOLDER } from '../harness-link.ts';
import { pathInside } from '../paths.ts';

/** A larger set of files is dependencies or build output, which can be regenerated. */
const FILES_LIMIT = 2000;
const BYTES_LIMIT = 32 * 1024 * 1024;

export interface FoundFile {
  /** Relative, in latin1 so that no byte is lost. */
  readonly path: string;
  readonly mode: '100644' | '100755' | '120000';
  readonly bytes: number;
  /** Changes whenever the file is written. */
  readonly stamp: string;
}

export interface FoundIgnored {
  readonly files: readonly FoundFile[];
  /** Files and folders that are too large to keep, or that contain something git can't store. */
  readonly leftOut: readonly string[];
}

/** Lists the files that git ignores. Each ignored folder is listed as a whole or skipped as a whole. */
export async function findIgnored(
  repository: RunRepository,
  ignored: readonly string[],
): Promise<FoundIgnored> {
  const files: FoundFile[] = [];
  const leftOut: string[] = [];
  let bytes = 0;
  // Single files first: the user would miss them more than a folder of build output.
  const sorted = ignored.toSorted((one, other) => Number(one.endsWith('/')) - Number(other.endsWith('/')));
  for (const entry of sorted) {
    const found = await filesBelow(repository, entry, FILES_LIMIT - files.length);
    const size = found?.reduce((sum, file) => sum + file.bytes, 0) ?? 0;
    if (found === null || bytes + size > BYTES_LIMIT) {
      leftOut.push(entry);
      continue;
    }
    files.push(...found);
    bytes += size;
  }
  return { files, leftOut };
}

/** Null if there are more files than the limit, or something that git can't store. */
async function filesBelow(
  repository: RunRepository,
  entry: string,
  limit: number,
): Promise<FoundFile[] | null> {
  const found: FoundFile[] = [];
  const folders = entry.endsWith('/') ? [entry] : [];
  if (folders.length === 0) {
    const file = await fileAt(repository, entry);
    return file === null || limit < 1 ? null : [file];
  }
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const options = { withFileTypes: true, encoding: 'latin1' } as const;
    const entries = await readdir(pathInside(repository, folder), options).catch(() => null);
    if (entries === null) return null;
    for (const entry of entries) {
      const path = `${folder}${entry.name}`;
      if (path === RUN_FOLDER) continue;
      if (entry.name === '.git' || found.length >= limit) return null;
      if (entry.isDirectory()) folders.push(`${path}/`);
      else {
        const file = await fileAt(repository, path);
        if (file === null) return null;
        found.push(file);
      }
    }
  }
  return found;
}

async function fileAt(repository: RunRepository, path: string): Promise<FoundFile | null> {
  const found = await lstat(pathInside(repository, path), { bigint: true }).catch(() => null);
  if (found === null || (!found.isFile() && !found.isSymbolicLink())) return null;
  const { ino, size, ctimeNs } = found;
  const runnable = (found.mode & 0o100n) !== 0n;
  const mode = found.isSymbolicLink() ? '120000' : runnable ? '100755' : '100644';
  return { path, mode, bytes: Number(size), stamp: `${ino} ${size} ${mode} ${ctimeNs}` };
}
