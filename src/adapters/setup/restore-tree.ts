import { chmodSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type CacheEntry, entryTree } from './cache-entry.ts';
import {
  copyTree,
  entryAt,
  isSameEntry,
  listTree,
  type Pauses,
  removeTree,
  type Tree,
  type TreeEntry,
} from './tree.ts';

export interface RestoreRequest {
  readonly checkout: string;
  readonly entry: CacheEntry;
  /** The stamps of the files when the checkout last matched the entry. */
  readonly stamps: Tree;
  /** All paths of setup that exist in the checkout now. */
  readonly tops: readonly string[];
  readonly pauses: Pauses;
}

/**
 * Restores a checkout to the content of an entry: removes extra files, and copies changed and missing ones again.
 * Returns the new stamps, or null if nothing has changed. Reads no contents, because every write changes the stamp.
 */
export async function restoreTree(request: RestoreRequest): Promise<Tree | null> {
  const { checkout, entry, stamps, tops, pauses } = request;
  const present = await listTree(checkout, [...new Set([...tops, ...entry.tops])], pauses);
  const extra = [...present.keys()].filter((path) => !entry.tree.has(path));
  const changed = [...entry.tree].filter(([path]) => !isSameEntry(present.get(path), stamps.get(path)));
  if (extra.length === 0 && changed.length === 0) return null;

  const toRemove = new Set(extra);
  for (const [path, wanted] of changed)
    if (present.has(path) && (wanted.kind !== 'folder' || present.get(path)?.kind !== 'folder'))
      toRemove.add(path);
  const opened = openParents(checkout, entry.tree, [...toRemove, ...changed.map(([path]) => path)]);
  for (const path of toRemove)
    if (!hasRemovedParent(toRemove, path)) await removeTree(join(checkout, path), pauses);
  const isChanged = new Map(changed);
  const entries = [...entry.tree].filter(([path]) => isChanged.has(path) || opened.has(path));
  await copyTree({ from: entryTree(entry.folder), to: checkout, entries, verify: true, pauses });

  const renewed = new Map<string, TreeEntry>();
  for (const path of entry.tree.keys()) {
    const now = isChanged.has(path) ? entryAt(join(checkout, path)) : present.get(path);
    if (now != null) renewed.set(path, now);
  }
  return renewed;
}

/**
 * Makes read-only folders writable, because their files could not be replaced otherwise. Copying restores their mode.
 */
function openParents(checkout: string, tree: Tree, paths: readonly string[]): ReadonlySet<string> {
  const opened = new Set<string>();
  for (const parent of new Set(paths.map((path) => dirname(path)))) {
    const entry = tree.get(parent);
    if (entry?.kind !== 'folder' || (entry.mode & 0o300) === 0o300) continue;
    if (entryAt(join(checkout, parent))?.kind !== 'folder') continue;
    chmodSync(join(checkout, parent), entry.mode | 0o700);
    opened.add(parent);
  }
  return opened;
}

function hasRemovedParent(removed: ReadonlySet<string>, path: string): boolean {
  for (let folder = dirname(path); folder !== '.'; folder = dirname(folder))
    if (removed.has(folder)) return true;
  return false;
}
