import type { RunWorkspace } from '../../ports/workspace.ts';
import type { Git } from './git-command.ts';
import { moveOwnRef } from './own-ref.ts';
import { commitAt, findAdminDir, ownBranchRef } from './run-worktree.ts';
import { keepUnderNewRef, salvageRefOf } from './salvage-refs.ts';
import { listCheckouts } from './worktree-list.ts';

/** What a branch that starts anew led to is kept under this name. */
const SALVAGE_NAME = 'branch';

/** Another checkout that has the branch of the workspace, among those that `isMeant` picks. */
export async function otherHolder(
  git: Git,
  { branchName, worktreePath }: RunWorkspace,
  isMeant: (path: string) => boolean,
): Promise<string | null> {
  const branchRef = ownBranchRef(branchName);
  const holders = (await listCheckouts(git)).filter(({ branch }) => branch === branchRef);
  return holders.find(({ path }) => path !== worktreePath && isMeant(path))?.path ?? null;
}

interface Place {
  readonly git: Git;
  readonly gitDir: string;
  readonly isOurs: (path: string) => boolean;
}

/**
 * Starts the branch of an item anew from the base of the run. What it led to is kept first, unless the run starts there,
 * and worktrees of earlier runs let go of it with their files as they are. Returns where the branch was.
 */
export async function takeItemBranch(place: Place, workspace: RunWorkspace): Promise<string | null> {
  const { git } = place;
  const { branchName, baseSha, runId } = workspace;
  const branchRef = ownBranchRef(branchName);
  const before = await commitAt(git, branchRef);
  await releaseBranch(place, workspace);
  if (before === baseSha) return before;
  if (before !== null) await keepUnderNewRef(git, salvageRefOf(runId, SALVAGE_NAME), before);
  await moveOwnRef(git, branchRef, baseSha, before ?? '');
  return before;
}

/** Puts the branch back where it was before the run took it. */
export async function giveBranchBack(
  git: Git,
  { branchName, baseSha }: RunWorkspace,
  before: string | null,
): Promise<void> {
  const branchRef = ownBranchRef(branchName);
  if (before === baseSha) return;
  if (before !== null) await moveOwnRef(git, branchRef, before, baseSha);
  else await git(['update-ref', '--no-deref', '-d', branchRef, baseSha], { retryLocks: true });
}

/** A worktree without a branch keeps its commit, its index and its files. */
async function releaseBranch({ git, gitDir, isOurs }: Place, workspace: RunWorkspace): Promise<void> {
  for (;;) {
    const path = await otherHolder(git, workspace, isOurs);
    const adminDir = path === null ? null : await findAdminDir(gitDir, path);
    if (path === null || adminDir === null) return;
    const env = { GIT_DIR: adminDir, GIT_WORK_TREE: path };
    const head = await commitAt((argv, call) => git(argv, { ...call, env }), 'HEAD');
    await git(['update-ref', '--no-deref', 'HEAD', head ?? workspace.baseSha], { env, retryLocks: true });
  }
}
