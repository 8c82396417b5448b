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
 * under another name and renamed when it is whole, so that a half-made one is never used, and two processes that
 * store the same digest can't mix their files. Nobody writes to an entry afterwards: checkouts get copies, and a file that
 * differs from the list makes the entry unusable.
 */
export interface CacheEntry {
  readonly folder: string;
  /** Tells it from another entry that took its place. */
  readonly id: string;
  readonly digest: string;
  /** The only checkout that can use it, because files in it name the path of that checkout; null for any. */
  readonly madeIn: string | null;
  readonly inputs: readonly CopiedInput[];
  /** The paths of setup, relative to a checkout. */
  readonly tops: readonly string[];
  readonly tree: Tree;
}

/** A folder of the checkout that the commands installed as a copy: the result is out of date when it changes. */
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

/** Null where there is no entry, or one that this version can't read. */
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
  /** Where entries are built before they get their place. On the file system of all places. */
  readonly workFolder: string;
  /** Where an entry belongs, once it is known whether only this checkout can use it. */
  readonly placeOf: (isBound: boolean) => string;
  readonly pauses: Pauses;
}

export interface Stored {
  readonly entry: CacheEntry;
  /** A file that names the path of the checkout, or null. */
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
    await writeFile(entryFile(building), entryText(entry));
    return { entry: await moveInto(building, entry, pauses), boundBy, shared };
  } catch (error) {
    await removeTree(building, createPauses(null)).catch(() => undefined);
    throw error;
  }
}

function entryText({ id, digest, madeIn, inputs, tops, tree }: CacheEntry): string {
  const rows = [...tree].map(([path, { kind, mode, stamp }]) => [path, kind, mode, stamp]);
  return JSON.stringify({ id, digest, made_in: madeIn, inputs, tops, tree: rows });
}

/** Another process may have stored the same meanwhile, which is then used. One of other inputs makes room. */
async function moveInto(building: string, entry: CacheEntry, pauses: Pauses): Promise<CacheEntry> {
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

/** Removes an entry, unless another has taken its place. */
export async function discardEntry(entry: CacheEntry, pauses: Pauses): Promise<void> {
  if ((await readEntry(entry.folder))?.id === entry.id) await discardFolder(entry.folder, pauses);
}

/** Out of the way first, so that no other process begins to read what is being removed. */
export async function discardFolder(folder: string, pauses: Pauses): Promise<void> {
  const aside = join(dirname(folder), `${UNFINISHED}${randomBytes(8).toString('hex')}`);
  try {
    await rename(folder, aside);
  } catch {
    return; // Another process has removed it.
  }
  await removeTree(aside, pauses);
}

/** pnpm writes this file anew, and its only content is where projects are. */
function isBookkeeping(path: string): boolean {
  return /(?:^|\/)node_modules\/\.pnpm-workspace-state[^/]*\.json$/.test(path);
}

const TEXT_LIMIT_BYTES = 4 * 1024 * 1024;
/** As git does it: a text has no NUL at its beginning. */
const BEGINNING_BYTES = 8_000;

interface BoundSearch {
  readonly look: (path: string, entry: TreeEntry) => void;
  readonly found: () => string | null;
}

/** Looks for the path of a checkout in links and in texts: scripts with an interpreter line, `pyvenv.cfg`, `.pth`. */
function createBoundSearch(...checkouts: readonly string[]): BoundSearch {
  const [root = ''] = checkouts;
  const needles = new Set(checkouts.flatMap((path) => [path, encodeURI(path)]));
  let first: string | null = null;
  const isNamedIn = (text: Buffer | string) => [...needles].some((needle) => text.includes(needle));
  return {
    look: (path, { kind }) => {
      if (first !== null) return;
      const full = join(root, path);
      if (kind === 'link') {
        if (isNamedIn(readlinkSync(full))) first = path;
        return;
      }
      if (lstatSync(full).size > TEXT_LIMIT_BYTES) return;
      const content = readFileSync(full);
      if (!content.subarray(0, BEGINNING_BYTES).includes(0) && isNamedIn(content)) first = path;
    },
    found: () => first,
  };
}
