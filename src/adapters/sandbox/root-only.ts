import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Files and folders that root owns and no other user can read. A sandboxed process of root has no capabilities, but
 * could still read them as their owner.
 */
export interface RootOnly {
  readonly files: readonly string[];
  readonly folders: readonly string[];
}

/** Folders of system files with secrets: passwords, host keys, certificates, state of services. */
const PLACES = ['/boot', '/etc', '/opt', '/srv', '/usr/local/etc', '/var'];
/** Container images and caches may have millions of files. */
const ENTRIES_LIMIT = 200_000;
const FOLDERS_AT_ONCE = 32;
const OTHERS_READ = 0o004;
const OTHERS_ENTER = 0o001;
const NOTHING: RootOnly = { files: [], folders: [] };

/** Searches once per process, and only as root: the kernel refuses access to any other user anyway. */
export function createRootOnlyFinder(places: readonly string[] = PLACES): () => Promise<RootOnly> {
  let found: Promise<RootOnly> | null = null;
  return () => {
    found ??= process.getuid?.() === 0 ? findRootOnly(places) : Promise.resolve(NOTHING);
    return found;
  };
}

async function findRootOnly(places: readonly string[]): Promise<RootOnly> {
  const files: string[] = [];
  const folders: string[] = [];
  const top = await readdir('/').catch((): string[] => []);
  // Check the entries of the root folder, but don't descend into them.
  const waiting = [...places];
  for (const path of top.map((name) => `/${name}`)) {
    const kind = await kindOf(path);
    if (kind === 'closed folder') folders.push(path);
    else if (kind === 'closed file') files.push(path);
  }
  let seen = 0;
  while (waiting.length > 0 && seen < ENTRIES_LIMIT) {
    const next = waiting.splice(0, FOLDERS_AT_ONCE);
    for (const entries of await Promise.all(next.map(entriesOf))) {
      seen += entries.length;
      for (const { path, kind } of entries) {
        if (kind === 'closed folder') folders.push(path);
        else if (kind === 'closed file') files.push(path);
        else if (kind === 'folder') waiting.push(path);
      }
    }
  }
  return { files, folders };
}

type Kind = 'folder' | 'closed folder' | 'closed file' | 'other';

async function entriesOf(folder: string): Promise<{ path: string; kind: Kind }[]> {
  const names = await readdir(folder).catch((): string[] => []);
  return Promise.all(
    names.map(async (name) => {
      const path = join(folder, name);
      return { path, kind: await kindOf(path) };
    }),
  );
}

async function kindOf(path: string): Promise<Kind> {
  const found = await lstat(path).catch(() => null);
  if (found === null || found.isSymbolicLink()) return 'other';
  const isOwnedByRoot = found.uid === 0;
  if (found.isDirectory()) {
    const isClosed =
      isOwnedByRoot && (found.mode & (OTHERS_READ | OTHERS_ENTER)) !== (OTHERS_READ | OTHERS_ENTER);
    return isClosed ? 'closed folder' : 'folder';
  }
  return found.isFile() && isOwnedByRoot && (found.mode & OTHERS_READ) === 0 ? 'closed file' : 'other';
}
