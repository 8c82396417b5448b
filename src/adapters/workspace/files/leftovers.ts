import { readdir, rmdir } from 'node:fs/promises';
import type { Git } from '../git/git-command.ts';
import type { RunRepository } from '../repository/run-repository.ts';
import { displace } from './displaced.ts';
import { RUN_FOLDER } from './harness-link.ts';
import { pathBelow, pathInside } from './paths.ts';

/** What a checkout contains besides files that git can store. Paths are relative and in latin1. */
export interface Leftovers {
  /** Folders below the top that contain a repository. */
  readonly repositories: readonly string[];
  /** Folders without a file in them or below, deepest first. */
  readonly empty: readonly string[];
}

/** Walks through a checkout, except for folders that are skipped. Links are not followed. */
export async function findLeftovers(
  checkout: string,
  isSkipped: (folder: string) => boolean,
): Promise<Leftovers> {
  const repositories: string[] = [];
  const filled = new Set<string>();
  const seen: string[] = [];
  const open = [''];
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    const options = { withFileTypes: true, encoding: 'latin1' } as const;
    for (const entry of await readdir(pathBelow(checkout, folder), options).catch(() => [])) {
      const path = `${folder}${entry.name}`;
      const isEntered = entry.isDirectory() && entry.name !== '.git' && path !== RUN_FOLDER;
      if (isEntered && !isSkipped(path)) {
        open.push(`${path}/`);
        seen.push(path);
        continue;
      }
      if (entry.name === '.git' && folder !== '') repositories.push(folder.slice(0, -1));
      markFilled(filled, folder);
    }
  }
  const empty = seen.filter((path) => !filled.has(path)).toSorted((one, other) => other.length - one.length);
  return { repositories, empty };
}

/** Marks a folder and all of its parents as filled. */
function markFilled(filled: Set<string>, folder: string): void {
  let path = folder.slice(0, -1);
  while (path !== '' && !filled.has(path)) {
    filled.add(path);
    path = path.slice(0, Math.max(0, path.lastIndexOf('/')));
  }
}

/**
 * Removes what no snapshot contains: empty folders, except those of submodules in `tree`, and the `.git` of
 * repositories that were created in folders of the base, which is moved to the run's folder. Returns the folders of all
 * other repositories.
 */
export async function clearLeftovers(
  repository: RunRepository,
  ignored: readonly string[],
  tree: string,
): Promise<readonly string[]> {
  const { workspace, git } = repository;
  const skipped = new Set(ignored);
  const { repositories, empty } = await findLeftovers(workspace.checkoutPath, (folder) =>
    skipped.has(`${folder}/`),
  );
  const submoduleFolders = empty.length === 0 ? new Set<string>() : await entriesOf(git, tree, '160000 ');
  for (const path of empty)
    if (!submoduleFolders.has(path)) await rmdir(pathInside(repository, path)).catch(() => undefined);
  if (repositories.length === 0) return [];
  const folders = await entriesOf(git, workspace.baseSha, '040000 ');
  for (const folder of repositories)
    if (folders.has(folder)) await displace(repository, pathInside(repository, `${folder}/.git`));
  return repositories.filter((folder) => !folders.has(folder));
}

/** Paths of the folders, or of the submodules, of a tree. */
async function entriesOf(git: Git, tree: string, mode: '040000 ' | '160000 '): Promise<ReadonlySet<string>> {
  const listed = await git(['ls-tree', '-r', '-t', '-z', '--full-tree', tree]);
  const records = listed.stdout.toString('latin1').split('\0');
  const found = records.filter((record) => record.startsWith(mode));
  return new Set(found.map((record) => record.slice(record.indexOf('\t') + 1)));
}
