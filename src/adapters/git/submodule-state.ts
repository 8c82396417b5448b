import { join } from 'node:path';
import { kindOf } from './file-kind.ts';
import { createGit, GitError } from './git-command.ts';
import { displace } from './harness-link.ts';
import { pathInside } from './ignored-files.ts';
import { withoutFilters } from './no-filters.ts';
import type { RunWorktree } from './run-worktree.ts';
import { readLinks } from './submodule-links.ts';
import { ourIndex } from './worktree-tree.ts';

/**
 * Moves repositories out of the places of submodules whose files somebody worked on: no snapshot holds those files.
 * Returns the places, which have to be empty folders again.
 */
export async function displaceWorkedOn(
  worktree: RunWorktree,
  { evenClean }: { readonly evenClean: boolean },
): Promise<readonly Buffer[]> {
  const { git, workspace } = worktree;
  const env = { GIT_INDEX_FILE: ourIndex(worktree) };
  const { sound } = await readLinks((argv, call) => git(argv, { ...call, env }), worktree);
  const displaced: Buffer[] = [];
  for (const link of sound) {
    const path = pathInside(worktree, link);
    if ((await kindOf(pathInside(worktree, `${link}/.git`))) === 'missing') continue;
    if (!evenClean && !(await isWorkedOn(worktree, path.toString('utf8')))) continue;
    await displace(workspace.worktreePath, workspace.runId, path);
    displaced.push(path);
  }
  return displaced;
}

/** Whether files there differ from the commit, or are not in it. */
async function isWorkedOn({ workspace }: RunWorktree, path: string): Promise<boolean> {
  const env = { GIT_DIR: join(path, '.git'), GIT_WORK_TREE: path };
  const place = { cwd: path, env, runId: workspace.runId };
  const argv = ['status', '--porcelain', '--untracked-files=all', '--ignored', '--ignore-submodules=dirty'];
  try {
    const quiet = await withoutFilters(createGit(place));
    return (await createGit({ ...place, env: { ...env, ...quiet } })(argv)).stdout.length > 0;
  } catch (error) {
    // A repository that git can't read is not what a submodule should be.
    if (error instanceof GitError) return true;
    throw error;
  }
}
