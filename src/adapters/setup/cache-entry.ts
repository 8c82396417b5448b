import { randomBytes } from 'node:crypto';
import { lstatSync, readFileSync, readlinkSync } from 'node:fs';
import { mkdir, readFile, realpath, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import {
  copyTree,
  createPauses,
  listTree,
  type Pauses,
  removeTree,
  type Tree,
  type TreeEntry,
} from './tree.ts';

/**
 * A stored result of setup: a folder with the files below `tree` and a list of them in `entry.json`. An entry is built
 * under another name and renamed when it is complete, so that a partial one is never used, and two processes that store
 * the same digest can't mix their files. An entry never changes afterwards: checkouts get copies, and a file that
 * differs from the list makes the entry unusable.
 */
export interface CacheEntry {
  readonly folder: string;
  /** Distinguishes the entry from another one that replaced it. */
  readonly id: string;
  readonly digest: string;
  /** The only checkout that can use the entry, because its files contain the path of that checkout; null if any can. */
  readonly madeIn: string | null;
  readonly inputs: readonly CopiedInput[];
  /** The paths of setup, relative to a checkout. */
  readonly tops: readonly string[];
  readonly tree: Tree;
}

/** A folder of the checkout that the commands installed as a copy: if it changes, the result is stale. */
export interface CopiedInput {
  readonly source: string;
  readonly hash: string;
}

const ENTRY_FILE = 'entry.json';
const TREE_FOLDER = 'tree';

const entrySchema = z.object({
  id: z.string(),
  digest: z.string(),
  made_in: z.nullable(z.string()),
  inputs: z.array(z.object({ source: z.string(), hash: z.string() })),
  tops: z.array(z.string()),
  tree: z.array(z.tuple([z.string(), z.enum(['folder', 'file', 'link']), z.number(), z.string()])),
});

/** Null if the entry is missing, or if this version can't read it. */
export async function readEntry(folder: string): Promise<CacheEntry | null> {
  try {
    const read = entrySchema.parse(JSON.parse(await readFile(entryFile(folder), 'utf8')));
    const tree = new Map(
      read.tree.map(([path, kind, mode, stamp]): [string, TreeEntry] => [
        path,
        { kind, mode, stamp, links: 1 },
      ]),
    );
    return {
      folder,
      id: read.id,
      digest: read.digest,
      madeIn: read.made_in,
      inputs: read.inputs,
      tops: read.tops,
      tree,
    };
  } catch {
    return null;
  }
}

export function entryFile(folder: string): string {
  return join(folder, ENTRY_FILE);
}

export function entryTree(folder: string): string {
  return join(folder, TREE_FOLDER);
}

export interface StoreRequest {
  readonly checkout: string;
  readonly digest: string;
  readonly tops: readonly string[];
  readonly inputs: readonly CopiedInput[];
  /** The folder in which entries are built before they are moved. It is on the same file system as all destinations. */
  readonly workFolder: string;
  /** The destination of an entry, depending on whether only this checkout can use it. */
  readonly placeOf: (isBound: boolean) => string;
  readonly pauses: Pauses;
}

export interface Stored {
  readonly entry: CacheEntry;
  /** A file that contains the path of the checkout, or null. */
  readonly boundBy: string | null;
  /** Files that share their content with names elsewhere, such as those that pnpm links from its store. */
  readonly shared: readonly string[];
}

/** Prefix of folders that are being built or removed. */
export const UNFINISHED = '.unfinished-';

export async function storeEntry(request: StoreRequest): Promise<Stored> {
  const { checkout, digest, tops, inputs, workFolder, pauses } = request;
  const id = randomBytes(8).toString('hex');
  const building = join(workFolder, `${UNFINISHED}${id}`);
  try {
    await mkdir(entryTree(building), { recursive: true });
    const found = [...(await listTree(checkout, tops, pauses))].filter(([path]) => !isBookkeeping(path));
    const bound = createBoundSearch(checkout, await realpath(checkout));
    const shared: string[] = [];
    await copyTree({
      from: checkout,
      to: entryTree(building),
      entries: found,
      verify: false,
      onFile: (path, entry) => {
        bound.look(path, entry);
        if (entry.links > 1) shared.push(path);
      },
      pauses,
    });
    const tree = await listTree(entryTree(building), tops, pauses);
    const boundBy = bound.found();
    const madeIn = boundBy === null ? null : checkout;
    const entry = { folder: request.placeOf(boundBy !== null), id, digest, madeIn, inputs, tops, tree };
    await writeFile(entryFile(building), renderEntry(entry));
    return { entry: await moveEntry(building, entry, pauses), boundBy, shared };
  } catch (error) {
    await removeTree(building, createPauses(null)).catch(() => undefined);
    throw error;
  }
}

function renderEntry({ id, digest, madeIn, inputs, tops, tree }: CacheEntry): string {
  const rows = [...tree].map(([path, { kind, mode, stamp }]) => [path, kind, mode, stamp]);
  return JSON.stringify({ id, digest, made_in: madeIn, inputs, tops, tree: rows });
}

/**
 * Moves a built entry to its destination. If another process has stored the same result in the meantime, uses that one;
 * replaces an entry with other inputs.
 */
async function moveEntry(building: string, entry: CacheEntry, pauses: Pauses): Promise<CacheEntry> {
  for (let tries = 0; ; tries += 1) {
    try {
      await rename(building, entry.folder);
      return entry;
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : null;
      if (tries > 2 || (code !== 'ENOTEMPTY' && code !== 'EEXIST')) throw error;
    }
    const other = await readEntry(entry.folder);
    if (other !== null && JSON.stringify(other.inputs) === JSON.stringify(entry.inputs)) {
      await removeTree(building, pauses);
      return other;
    }
    await discardFolder(entry.folder, pauses);
  }
}

/** Removes an entry, unless another one has replaced it. */
export async function discardEntry(entry: CacheEntry, pauses: Pauses): Promise<void> {
  if ((await readEntry(entry.folder))?.id === entry.id) await discardFolder(entry.folder, pauses);
}

/** Renames the folder before removing it, so that no other process starts to read it. */
export async function discardFolder(folder: string, pauses: Pauses): Promise<void> {
  const aside = join(dirname(folder), `${UNFINISHED}${randomBytes(8).toString('hex')}`);
  try {
    await rename(folder, aside);
  } catch {
    return; // Another process has removed it.
  }
  await removeTree(aside, pauses);
}

/** pnpm recreates this file, which contains only the paths of projects. */
function isBookkeeping(path: string): boolean {
  return /(?:^|\/)node_modules\/\.pnpm-workspace-state[^/]*\.json$/.test(path);
}

const TEXT_LIMIT_BYTES = 4 * 1024 * 1024;
/** As in git, a file is text if its beginning contains no NUL. */
const BEGINNING_BYTES = 8_000;

interface BoundSearch {
  readonly look: (path: string, entry: TreeEntry) => void;
  readonly found: () => string | null;
}

/**
 * Searches for the path of a checkout in links and in text files: scripts with an interpreter line, `pyvenv.cfg`,
 * `.pth`.
 */
function createBoundSearch(...checkouts: readonly string[]): BoundSearch {
  const [root = ''] = checkouts;
  const needles = new Set(checkouts.flatMap((path) => [path, encodeURI(path)]));
  let first: string | null = null;
  const containsPath = (text: Buffer | string) => [...needles].some((needle) => text.includes(needle));
  return {
    look: (path, { kind }) => {
      if (first !== null) return;
      const full = join(root, path);
      if (kind === 'link') {
        if (containsPath(readlinkSync(full))) first = path;
        return;
      }
      if (lstatSync(full).size > TEXT_LIMIT_BYTES) return;
      const content = readFileSync(full);
      if (!content.subarray(0, BEGINNING_BYTES).includes(0) && containsPath(content)) first = path;
    },
    found: () => first,
  };
}
