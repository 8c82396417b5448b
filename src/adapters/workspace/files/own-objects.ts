import { join } from 'node:path';
import type { Git } from '../git/git-command.ts';
import { readBaseTree } from '../repository/layout.ts';
import type { RunRepository } from '../repository/run-repository.ts';
import { hasObject } from '../repository/store-objects.ts';

/**
 * Git doesn't write an object into the store that the user's repository already has. Objects of the base stay there as
 * long as the run's base ref, but all others can be pruned at any time, for example if two runs make the same change
 * and one of them is cleaned. So the store gets its own copy of every object that is not the base's.
 */
interface Owned {
  readonly trees: Set<string>;
  readonly ids: Set<string>;
}
const ownedByStore = new Map<string, Owned>();

/** Makes sure that the store itself contains every object of a tree that the base lacks. */
export async function ownTree(
  repository: RunRepository,
  tree: string,
  base: string = repository.workspace.baseSha,
): Promise<void> {
  const { git, storeDir } = repository;
  const { trees } = ownedOf(repository);
  if (trees.has(tree) || tree === (await readBaseTree(storeDir))) return;
  const argv = ['diff-tree', '-r', '-t', '-z', '--raw', '--no-abbrev', '--no-renames', base, tree];
  const records = (await git(argv)).stdout
    .toString('latin1')
    .matchAll(/:\d{6} (\d{6}) [0-9a-f]+ ([0-9a-f]+) /g);
  const added = [...records].filter(([, mode]) => mode !== '160000' && mode !== '000000');
  if (added.length > 0) await ownObjects(repository, [tree, ...added.map(([, , id = '']) => id)]);
  trees.add(tree);
}

/** Copies objects into the store unless it has them as loose objects. */
async function ownObjects(repository: RunRepository, objects: readonly string[]): Promise<void> {
  const { git, storeDir } = repository;
  const { ids } = ownedOf(repository);
  const borrowed: string[] = [];
  for (const id of new Set(objects)) {
    if (ids.has(id)) continue;
    if (!(await hasObject(storeDir, id))) borrowed.push(id);
  }
  if (borrowed.length > 0) await copyObjects(git, storeDir, borrowed);
  for (const id of objects) ids.add(id);
}

async function copyObjects(git: Git, storeDir: string, ids: readonly string[]): Promise<void> {
  const stdin = ids.map((id) => `${id}\n`).join('');
  await git(['pack-objects', '--quiet', join(storeDir, 'objects/pack/pack')], { stdin });
}

function ownedOf({ storeDir }: RunRepository): Owned {
  const owned = ownedByStore.get(storeDir) ?? { trees: new Set(), ids: new Set() };
  ownedByStore.set(storeDir, owned);
  return owned;
}
