import { readdir, unlink } from 'node:fs/promises';
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
}

/** Looks through the whole worktree but what git ignores; links are not followed. */
export async function findLeftovers(worktree: RunWorktree, ignored: readonly string[]): Promise<Leftovers> {
  const skipped = new Set([...ignored, `${RUN_FOLDER}/`]);
  const repositories: string[] = [];
  const unstorable: string[] = [];
  const open = [''];
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    const options = { withFileTypes: true, encoding: 'latin1' } as const;
    for (const entry of await readdir(pathInside(worktree, folder), options).catch(() => [])) {
      const path = `${folder}${entry.name}`;
      if (entry.name === '.git') {
        if (folder !== '') repositories.push(folder.slice(0, -1));
      } else if (entry.isDirectory()) {
        if (!skipped.has(`${path}/`)) open.push(`${path}/`);
      } else if (!entry.isFile() && !entry.isSymbolicLink() && !skipped.has(path)) unstorable.push(path);
    }
  }
  return { repositories, unstorable };
}

/**
 * Takes away what no snapshot can hold: pipes and the like, and repositories that were made of folders of the base, where
 * none can have been before. What a repository holds is kept in the run folder. Returns the repositories that stay.
 */
export async function clearLeftovers(
  worktree: RunWorktree,
  ignored: readonly string[],
): Promise<readonly string[]> {
  const { workspace, git } = worktree;
  const { repositories, unstorable } = await findLeftovers(worktree, ignored);
  for (const path of unstorable) await unlink(pathInside(worktree, path));
  if (repositories.length === 0) return [];
  const folders = await foldersOf(git, workspace.baseSha);
  for (const folder of repositories)
    if (folders.has(folder))
      await displace(workspace.worktreePath, workspace.runId, pathInside(worktree, `${folder}/.git`));
  return repositories.filter((folder) => !folders.has(folder));
}

async function foldersOf(git: Git, commit: string): Promise<ReadonlySet<string>> {
  const listed = await git(['ls-tree', '-r', '-d', '-z', '--full-tree', commit]);
  const records = listed.stdout.toString('latin1').split('\0');
  const trees = records.filter((record) => record.startsWith('040000 '));
  return new Set(trees.map((record) => record.slice(record.indexOf('\t') + 1)));
}
