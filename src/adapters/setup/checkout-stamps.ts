import { mkdir, readFile, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import * as z from 'zod';
import { writeAtomically } from '../../node/atomic-file.ts';
import { sha256Hex } from '../../node/sha256.ts';
import type { Tree, TreeEntry } from './tree.ts';

/** The cache entry that was last copied to a checkout, and the stamps of the files after that. */
export interface CheckoutStamps {
  readonly digest: string;
  readonly entryFolder: string;
  readonly entryId: string;
  readonly tree: Tree;
}

const stampsSchema = z.object({
  digest: z.string(),
  entry_folder: z.string(),
  entry_id: z.string(),
  tree: z.array(z.tuple([z.string(), z.enum(['folder', 'file', 'link']), z.number(), z.string()])),
});

interface Place {
  readonly stateDir: string;
  readonly checkout: string;
}

/** Null if there are no stamps of the checkout. */
export async function readStamps(place: Place): Promise<CheckoutStamps | null> {
  try {
    const read = stampsSchema.parse(JSON.parse(await readFile(stampsPath(place), 'utf8')));
    const tree = new Map(
      read.tree.map(([path, kind, mode, stamp]): [string, TreeEntry] => [
        path,
        { kind, mode, stamp, links: 1 },
      ]),
    );
    return { digest: read.digest, entryFolder: read.entry_folder, entryId: read.entry_id, tree };
  } catch {
    return null;
  }
}

export async function writeStamps(place: Place, stamps: CheckoutStamps): Promise<void> {
  const path = stampsPath(place);
  const rows = [...stamps.tree].map(([name, { kind, mode, stamp }]) => [name, kind, mode, stamp]);
  const { digest, entryFolder, entryId } = stamps;
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await writeAtomically(
    path,
    JSON.stringify({ digest, entry_folder: entryFolder, entry_id: entryId, tree: rows }),
  );
}

/** Call this before changing a checkout: if the process dies in between, the next one must not trust old stamps. */
export async function removeStamps(place: Place): Promise<void> {
  await rm(stampsPath(place), { force: true });
}

function stampsPath({ stateDir, checkout }: Place): string {
  return join(stateDir, 'setup', `${basename(checkout)}-${sha256Hex(checkout).slice(0, 8)}.stamps.json`);
}
