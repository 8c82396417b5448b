import { readdir, rmdir, unlink } from 'node:fs/promises';
import type { Git } from './git-command.ts';
import { displace, RUN_FOLDER } from './harness-link.ts';
import { pathInside } from './ignored-files.ts';
import type { RunWorktree } from './run-worktree.ts';

/** What lies in a worktree and is in no tree of git. Paths are relative, in latin1 so that no byte is lost. */
export interface Leftovers {
  /** Folders below the top that hold a repository. */
  readonly repositories: readonly string[];
  /** Pipes, sockets and devices. */
  readonly unstorable: readonly string[];
  /** Folders without a file in them or below, deepest first. */
  readonly empty: readonly string[];
}

/** Looks through the whole worktree but what git ignores; links are not followed. */
export async function findLeftovers(worktree: RunWorktree, ignored: readonly string[]): Promise<Leftovers> {
  const skipped = new Set([...ignored, `${RUN_FOLDER}/`]);
  const repositories: string[] = [];
  const unstorable: string[] = [];
  const filled = new Set<string>();
  const seen: string[] = [];
  const open = [''];
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    const options = { withFileTypes: true, encoding: 'latin1' } as const;
    for (const entry of await readdir(pathInside(worktree, folder), options).catch(() => [])) {
      const path = `${folder}${entry.name}`;
      if (entry.isDirectory() && entry.name !== '.git' && !skipped.has(`${path}/`)) {
        open.push(`${path}/`);
        seen.push(path);
        continue;
      }
      const isStorable = entry.isDirectory() || entry.isFile() || entry.isSymbolicLink();
      if (entry.name === '.git' && folder !== '') repositories.push(folder.slice(0, -1));
      if (isStorable || skipped.has(path)) markFilled(filled, folder);
      else if (entry.name !== '.git') unstorable.push(path);
    }
  }
  const empty = seen.filter((path) => !filled.has(path)).toSorted((one, other) => other.length - one.length);
  return { repositories, unstorable, empty };
}

/** A folder with something in it, and all that it lies in. */
function markFilled(filled: Set<string>, folder: string): void {
  let path = folder.slice(0, -1);
  while (path !== '' && !filled.has(path)) {
    filled.add(path);
    path = path.slice(0, Math.max(0, path.lastIndexOf('/')));
  }
}

/**
 * Takes away what no snapshot can hold: pipes and the like, and repositories that were made of folders of the base, where
 * none can have been before, and empty folders, in so far as they are no places of submodules in `tree`. What a repository
 * holds is kept in the run folder. Returns the repositories that stay.
 */
export async function clearLeftovers(
  worktree: RunWorktree,
  ignored: readonly string[],
  tree: string,
): Promise<readonly string[]> {
  const { workspace, git } = worktree;
  const { repositories, unstorable, empty } = await findLeftovers(worktree, ignored);
  for (const path of unstorable) await unlink(pathInside(worktree, path));
  const places = empty.length === 0 ? new Set<string>() : await entriesOf(git, tree, '160000 ');
  for (const path of empty)
    if (!places.has(path)) await rmdir(pathInside(worktree, path)).catch(() => undefined);
  if (repositories.length === 0) return [];
  const folders = await entriesOf(git, workspace.baseSha, '040000 ');
  for (const folder of repositories)
    if (folders.has(folder))
      await displace(workspace.worktreePath, workspace.runId, pathInside(worktree, `${folder}/.git`));
  return repositories.filter((folder) => !folders.has(folder));
}

/** Paths of the folders, or of the submodules, that a tree holds. */
async function entriesOf(git: Git, tree: string, mode: '040000 ' | '160000 '): Promise<ReadonlySet<string>> {
  const listed = await git(['ls-tree', '-r', '-t', '-z', '--full-tree', tree]);
  const records = listed.stdout.toString('latin1').split('\0');
  const found = records.filter((record) => record.startsWith(mode));
  return new Set(found.map((record) => record.slice(record.indexOf('\t') + 1)));
}
