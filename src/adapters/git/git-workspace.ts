import { dirname, posix, resolve } from 'node:path';
import { gitMarkOf } from '../../contracts/process-mark.ts';
import type { RefState } from '../../contracts/workspace-change.ts';
import type { BaseResolution, RunWorkspace, Workspace } from '../../ports/workspace.ts';
import { commonGitDir } from './find-repository.ts';
import { createGit, type Git, printedValue } from './git-command.ts';
import { otherHolder } from './item-branch.ts';
import { removeJudgedCheckout } from './judged-checkout.ts';
import { movedElsewhere, readHeadLogs } from './other-checkouts.ts';
import { lookAtFile, overlaySnapshot } from './overlay.ts';
import { moveOwnRef } from './own-ref.ts';
import {
  clearStaleLocks,
  commitAt,
  isItemBranch,
  openRunWorktree,
  pointBranch,
  type RunWorktree,
  treeOf,
} from './run-worktree.ts';
import { commitTree, restoreSnapshot, takeSnapshot } from './snapshots.ts';
import { removeSpecialFiles } from './special-files.ts';
import { diffTrees } from './tree-diff.ts';
import { createWorktree, describeWorkspace, type Repository, reopenWorktree } from './worktree-lifecycle.ts';
import { resetIndex, takeTree } from './worktree-tree.ts';

export interface GitWorkspaceDeps {
  /** The top of the user's checkout; it may be a linked worktree itself. */
  readonly repoRoot: string;
  readonly worktreesDir: string;
  /** Aborting ends the git command at work; half-made worktrees are still taken away. */
  readonly signal?: AbortSignal;
  /** Returns when no command under this mark is at work whose conductor is gone. */
  readonly awaitOrphans?: (mark: string) => Promise<void>;
}

/** Runs as branches and worktrees of the user's repository, through the `git` on the path. */
export function createGitWorkspace(deps: GitWorkspaceDeps): Workspace {
  const { repoRoot, worktreesDir, signal } = deps;
  const git = createGit({ cwd: repoRoot, signal });
  let gitDirOnce: Promise<string> | undefined;
  const gitDirOf = (): Promise<string> => {
    gitDirOnce ??= commonGitDir(git);
    return gitDirOnce;
  };
  const repositoryFor = async ({ runId }: RunWorkspace): Promise<Repository> => ({
    repoRoot,
    worktreesDir,
    gitDir: await gitDirOf(),
    git: createGit({ cwd: repoRoot, signal, runId }),
    signal,
  });
  const open = async (workspace: RunWorkspace): Promise<RunWorktree> =>
    openRunWorktree(workspace, await gitDirOf(), signal);
  return {
    resolveBase: (baseRef) => resolveBase(git, baseRef),
    describe: (request) => describeWorkspace({ repoRoot, worktreesDir }, request),
    create: async (workspace) => createWorktree(await repositoryFor(workspace), workspace),
    reopen: async (workspace, tree) => {
      // A git of a killed conductor may still be at work, and would write over what is put in order now.
      await deps.awaitOrphans?.(gitMarkOf(workspace.runId));
      await removeSpecialFiles(workspace.worktreePath);
      const repository = await repositoryFor(workspace);
      await removeJudgedCheckout(repository, workspace);
      await reopenWorktree(repository, workspace, tree);
    },
    snapshot: async (workspace, name) => takeSnapshot(await open(workspace), name),
    fileInPlace: async (workspace, tree, file) => lookAtFile(await open(workspace), tree, file),
    overlay: async (workspace, base, name, files) =>
      overlaySnapshot(await open(workspace), base, name, files),
    restore: async (workspace, target, salvageName) =>
      restoreSnapshot(await open(workspace), target, salvageName),
    commit: async (workspace, message) => commitToBranch(await open(workspace), message),
    refs: async (workspace) => readRefs(await open(workspace)),
    hasFile: async (commit, path) => {
      const found = await git(['cat-file', '-e', `${commit}:${posix.normalize(path)}`], {
        answers: [1, 128],
      });
      return found.exitCode === 0;
    },
    branchInTheWay: (workspace) => findBranchInTheWay(git, workspace.branchName),
    branchHolder: async (workspace) =>
      isItemBranch(workspace.branchName)
        ? otherHolder(git, workspace, (path) => dirname(path) !== resolve(worktreesDir))
        : null,
    movedElsewhere,
    diff: async ({ runId }, fromTree, toTree, patchPath) =>
      diffTrees({ runId, gitDir: await gitDirOf(), fromTree, toTree, patchPath, signal }),
  };
}

async function resolveBase(git: Git, baseRef: string): Promise<BaseResolution> {
  const sha = await commitAt(git, baseRef);
  if (sha !== null) return { ok: true, sha, tree: await treeOf(git, sha) };
  const unborn = (await commitAt(git, 'HEAD')) === null;
  const anyRef = await git(['for-each-ref', '--count=1']);
  const empty = unborn && (baseRef === 'HEAD' || anyRef.stdout.length === 0);
  return { ok: false, reason: empty ? 'no_commits' : 'unknown_ref' };
}

/** A branch `a` and a branch `a/b` can't both exist: git keeps them as files and folders. */
async function findBranchInTheWay(git: Git, branchName: string): Promise<string | null> {
  const parts = branchName.split('/');
  for (let length = 1; length < parts.length; length += 1) {
    const name = parts.slice(0, length).join('/');
    if ((await commitAt(git, `refs/heads/${name}`)) !== null) return name;
  }
  return null;
}

async function commitToBranch(worktree: RunWorktree, message: string): Promise<string> {
  const { git, branchRef, workspace } = worktree;
  await clearStaleLocks(worktree);
  const branch = await commitAt(git, branchRef);
  const head = branch ?? workspace.baseSha;
  const { tree } = await takeTree(worktree, head);
  const changed = tree !== (await treeOf(git, head));
  const commit = changed ? await commitTree(git, tree, [head], message) : head;
  if (isItemBranch(workspace.branchName) && (await otherHolder(git, workspace, () => true)) !== null)
    return keepAside(worktree, commit);
  await pointBranch(worktree, commit, branch);
  await resetIndex(worktree, commit);
  return commit;
}

/** A later run has the branch of the item: what an earlier one still comes to must not move it. */
async function keepAside({ git, workspace }: RunWorktree, commit: string): Promise<string> {
  await moveOwnRef(git, `refs/conductor/${workspace.runId}/head`, commit);
  return commit;
}

async function readRefs(worktree: RunWorktree): Promise<RefState> {
  const listed = await worktree.git(['for-each-ref', '--format=%(objectname) %(refname)']);
  const lines = listed.stdout
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '');
  const refs = lines.flatMap((line) => {
    const at = line.indexOf(' ');
    const name = line.slice(at + 1);
    return name.startsWith('refs/conductor/') ? [] : [[name, line.slice(0, at)] as const];
  });
  const head = await worktree.git(['symbolic-ref', '--quiet', 'HEAD'], { answers: [1] });
  return {
    refs: Object.fromEntries(refs),
    head: head.exitCode === 0 ? printedValue(head) : null,
    headLogs: await readHeadLogs(worktree.gitDir, worktree.adminDir),
  };
}
