import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { RUN_FOLDER } from './harness-link.ts';
import type { RunWorktree } from './run-worktree.ts';

/** More than this is a folder of dependencies or of build output, which can be made again. */
const FILES_LIMIT = 2000;
const BYTES_LIMIT = 32 * 1024 * 1024;

export interface FoundFile {
  /** Relative, in latin1 so that no byte is lost. */
  readonly path: string;
  readonly mode: '100644' | '100755' | '120000';
  readonly bytes: number;
  /** The same as long as nobody has written the file. */
  readonly stamp: string;
}

export interface FoundIgnored {
  readonly files: readonly FoundFile[];
  /** Files and folders that are too large or too odd to keep. */
  readonly leftOut: readonly string[];
}

/** Looks into what git ignores: each file, and each folder as a whole, is taken or left out. */
export async function findIgnored(worktree: RunWorktree, ignored: readonly string[]): Promise<FoundIgnored> {
  const files: FoundFile[] = [];
  const leftOut: string[] = [];
  let bytes = 0;
  // Single files first: they are what a person would miss.
  const sorted = ignored.toSorted((one, other) => Number(one.endsWith('/')) - Number(other.endsWith('/')));
  for (const entry of sorted) {
    const found = await filesBelow(worktree, entry, FILES_LIMIT - files.length);
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

/** Null when there are more files than the limit, or something that git can't store. */
async function filesBelow(worktree: RunWorktree, entry: string, limit: number): Promise<FoundFile[] | null> {
  const found: FoundFile[] = [];
  const folders = entry.endsWith('/') ? [entry] : [];
  if (folders.length === 0) {
    const file = await fileAt(worktree, entry);
    return file === null || limit < 1 ? null : [file];
  }
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const names = await readdir(pathInside(worktree, folder), { withFileTypes: true, encoding: 'latin1' });
    for (const entry of names) {
      const path = `${folder}${entry.name}`;
      if (path === RUN_FOLDER) continue;
      if (entry.name === '.git' || found.length >= limit) return null;
      if (entry.isDirectory()) folders.push(`${path}/`);
      else {
        const file = await fileAt(worktree, path);
        if (file === null) return null;
        found.push(file);
      }
    }
  }
  return found;
}

async function fileAt(worktree: RunWorktree, path: string): Promise<FoundFile | null> {
  const found = await lstat(pathInside(worktree, path), { bigint: true }).catch(() => null);
  if (found === null || (!found.isFile() && !found.isSymbolicLink())) return null;
  const { ino, size, ctimeNs } = found;
  const runnable = (found.mode & 0o100n) !== 0n;
  const mode = found.isSymbolicLink() ? '120000' : runnable ? '100755' : '100644';
  return { path, mode, bytes: Number(size), stamp: `${ino} ${size} ${mode} ${ctimeNs}` };
}

/** The absolute path of a relative one in latin1. */
export function pathInside(worktree: RunWorktree, latin1Path: string): Buffer {
  return Buffer.concat([
    Buffer.from(join(worktree.workspace.worktreePath, '/')),
    Buffer.from(latin1Path, 'latin1'),
  ]);
}
