import {
  chmodSync,
  constants,
  copyFileSync,
  lstatSync,
  lutimesSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * Lists, copies and removes trees of installed packages. They have tens of thousands of small files, for which
 * synchronous calls cost a fraction of asynchronous ones. Pauses in between keep timers on time.
 */
export interface TreeEntry {
  readonly kind: 'folder' | 'file' | 'link';
  readonly mode: number;
  /** Changes with every write, even if the times are set back afterwards. Empty for a folder. */
  readonly stamp: string;
  /** More than one for a file that shares its content with another name. */
  readonly links: number;
}

/** Entries by path relative to the root. A folder comes before its content. */
export type Tree = ReadonlyMap<string, TreeEntry>;

/** How long other work may be blocked. */
const TURN_MS = 20;

export interface Pauses {
  readonly isDue: () => boolean;
  readonly take: () => Promise<void>;
}

/** `take` throws the abort reason of the signal. */
export function createPauses(signal: AbortSignal | null): Pauses {
  let startedMs = performance.now();
  return {
    isDue: () => performance.now() - startedMs > TURN_MS,
    take: async () => {
      await nextTurn();
      signal?.throwIfAborted();
      startedMs = performance.now();
    },
  };
}

/** Lists everything at and below `tops`, which are relative to `root`. Skips missing ones, sockets and pipes. */
export async function listTree(root: string, tops: readonly string[], pauses: Pauses): Promise<Tree> {
  const found = new Map<string, TreeEntry>();
  const waiting = [...tops].reverse();
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const entry = entryAt(join(root, path));
    if (entry === null) continue;
    found.set(path, entry);
    if (entry.kind === 'folder')
      for (const name of readdirSync(join(root, path)).sort().reverse()) waiting.push(`${path}/${name}`);
    if (pauses.isDue()) await pauses.take();
  }
  return found;
}

export function entryAt(path: string): TreeEntry | null {
  const found = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  if (found === undefined) return null;
  const kind = found.isDirectory()
    ? 'folder'
    : found.isFile()
      ? 'file'
      : found.isSymbolicLink()
        ? 'link'
        : null;
  if (kind === null) return null;
  return {
    kind,
    mode: Number(found.mode & 0o7777n),
    stamp: kind === 'folder' ? '' : [found.ino, found.size, found.mtimeNs, found.ctimeNs].join(':'),
    links: kind === 'file' ? Number(found.nlink) : 1,
  };
}

export function isSameEntry(one: TreeEntry | undefined, other: TreeEntry | undefined): boolean {
  return one?.kind === other?.kind && one?.mode === other?.mode && one?.stamp === other?.stamp;
}

/** A cached file has changed since it was stored. */
export class ChangedTreeError extends Error {
  constructor(path: string) {
    super(`${path} has changed since it was stored`);
  }
}

export interface CopyRequest {
  readonly from: string;
  readonly to: string;
  /** What to copy. A folder comes before its content; missing parents are created. */
  readonly entries: Iterable<readonly [string, TreeEntry]>;
  /** Whether to check the source against `entries`. If false, `entries` were just read from the source. */
  readonly verify: boolean;
  /** Called for each file before it is copied. */
  readonly onFile?: (path: string, entry: TreeEntry) => void;
  readonly pauses: Pauses;
}

/**
 * Copies with modes, links and times, sharing blocks if the file system can. At the destination only folders may exist.
 */
export async function copyTree({ from, to, entries, verify, onFile, pauses }: CopyRequest): Promise<void> {
  const folders: (readonly [string, TreeEntry])[] = [];
  for (const [path, entry] of entries) {
    const source = join(from, path);
    if (verify && !isSameEntry(entry, entryAt(source) ?? undefined)) throw new ChangedTreeError(path);
    if (entry.kind === 'folder') folders.push([path, entry]);
    else onFile?.(path, entry);
    copyEntry(source, join(to, path), entry);
    if (pauses.isDue()) await pauses.take();
  }
  // Set modes and times of folders last: writing into a folder changes its times, and fails if it is read-only.
  for (const [path, { mode }] of folders.reverse()) {
    const { atime, mtime } = lstatSync(join(from, path));
    chmodSync(join(to, path), mode);
    utimesSync(join(to, path), atime, mtime);
  }
}

function copyEntry(source: string, target: string, { kind, mode }: TreeEntry): void {
  if (kind === 'folder') {
    mkdirSync(target, { recursive: true, mode: mode | 0o700 });
    return;
  }
  mkdirSync(dirname(target), { recursive: true });
  const { atime, mtime } = lstatSync(source);
  if (kind === 'link') {
    symlinkSync(readlinkSync(source), target);
    lutimesSync(target, atime, mtime);
    return;
  }
  copyFileSync(source, target, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
  utimesSync(target, atime, mtime);
}

/** Replaces a hard-linked file by a copy, so that writing to it changes no other file. */
export function replaceByCopy(source: string, target: string, mode: number): void {
  const temporary = `${target}.${process.pid}.copy`;
  rmSync(temporary, { force: true });
  const { atime, mtime } = lstatSync(source);
  copyFileSync(source, temporary, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
  chmodSync(temporary, mode);
  utimesSync(temporary, atime, mtime);
  renameSync(temporary, target);
}

/** Removes a tree, even if it has read-only folders. Links are removed, never followed. */
export async function removeTree(path: string, pauses: Pauses): Promise<void> {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return;
  if (found.isDirectory()) await removeFolder(path, found.mode, pauses);
  else unlinkSync(path);
}

async function removeFolder(path: string, mode: number, pauses: Pauses): Promise<void> {
  if ((mode & 0o300) !== 0o300) chmodSync(path, 0o700);
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const inner = join(path, entry.name);
    if (entry.isDirectory()) await removeFolder(inner, lstatSync(inner).mode, pauses);
    else unlinkSync(inner);
    if (pauses.isDue()) await pauses.take();
  }
  rmdirSync(path);
}
