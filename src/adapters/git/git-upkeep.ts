import { realpath } from 'node:fs/promises';
import { gitMarkOf } from '../../contracts/process-mark.ts';
import type { Upkeep } from '../../ports/upkeep.ts';
import type { RunWorkspace } from '../../ports/workspace.ts';
import { bringBackBranch, bringBackFiles, bringBackRef } from './bring-back.ts';
import { commonGitDir } from './find-repository.ts';
import { createGit, type Git, printedValue } from './git-command.ts';
import type { GitWorkspaceDeps } from './git-workspace.ts';
import { removeJudgedCheckout } from './judged-checkout.ts';
import { commitAt, openRunWorktree } from './run-worktree.ts';
import { listSalvages } from './salvage-refs.ts';
import { diffTrees } from './tree-diff.ts';
import type { Repository } from './worktree-lifecycle.ts';
import { listWorktrees, readWorktreeState, removeRunRefs, removeRunWorktree } from './worktree-removal.ts';

/** The part of upkeep that git does. */
export function createGitUpkeep(deps: GitWorkspaceDeps): Omit<Upkeep, 'removeRecord' | 'sizeOf'> {
  const { repoRoot, worktreesDir, signal } = deps;
  const git = createGit({ cwd: repoRoot, signal });
  /** Whoever changes something waits for the git of a killed conductor, which may still be at work on the run. */
  const settled = async ({ runId }: RunWorkspace): Promise<Repository> => {
    await deps.awaitOrphans?.(gitMarkOf(runId));
    return repositoryFor(runId);
  };
  const repositoryFor = async (runId: string): Promise<Repository> => ({
    repoRoot,
    worktreesDir,
    gitDir: await commonGitDir(git),
    git: createGit({ cwd: repoRoot, signal, runId }),
    signal,
  });
  return {
    salvages: () => listSalvages(git),
    contents: async ({ runId, commit }) => {
      const fromTree = (await commitAt(git, `${commit}^1`)) ?? (await emptyTree(git));
      const gitDir = await commonGitDir(git);
      return diffTrees({ runId, gitDir, fromTree, toTree: commit, patchPath: undefined, signal });
    },
    worktrees: async () => listWorktrees(git, await realpath(worktreesDir).catch(() => worktreesDir)),
    worktreeState: async (workspace) => readWorktreeState(await repositoryFor(workspace.runId), workspace),
    bringBackFiles: async (workspace, salvage) => {
      const { gitDir } = await settled(workspace);
      await bringBackFiles(await openRunWorktree(workspace, gitDir, signal), salvage);
    },
    bringBackBranch: (branchName, salvage) => bringBackBranch(git, branchName, salvage),
    bringBackRef: (salvage) => bringBackRef(git, salvage),
    removeWorktree: async (workspace) => {
      const repository = await settled(workspace);
      await removeJudgedCheckout(repository, workspace);
      return removeRunWorktree(repository, workspace);
    },
    removeRefs: async (workspace) => removeRunRefs(await settled(workspace), workspace),
  };
}

async function emptyTree(git: Git): Promise<string> {
  return printedValue(await git(['hash-object', '-t', 'tree', '-w', '--stdin']));
}
