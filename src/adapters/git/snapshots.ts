import type { Restored, RestoreTarget, Snapshot } from '../../ports/workspace.ts';
import { type Git, GitError, printedValue } from './git-command.ts';
import { ensureHarnessLink } from './harness-link.ts';
import { displaceNestedRepositories, displaceSubmodules, makeFolders } from './nested-repositories.ts';
import { moveOwnRef } from './own-ref.ts';
import {
  clearInterruptedState,
  clearStaleLocks,
  commitAt,
  headCommit,
  pointBranch,
  type RunWorktree,
  repairGitFile,
  treeOf,
} from './run-worktree.ts';
import { putTree, resetIndex, takeTree } from './worktree-tree.ts';

const SALVAGE_NAME_LIMIT = 1000;

export async function takeSnapshot(worktree: RunWorktree, name: string): Promise<Snapshot> {
  const { git, workspace } = worktree;
  const head = await headCommit(worktree);
  const { tree } = await takeTree(worktree, head);
  const commit = await commitTree(git, tree, [head], `${snapshotSubject(workspace.runId)} ${name}`);
  const ref = `refs/conductor/${workspace.runId}/${name}`;
  await moveOwnRef(git, ref, commit);
  return { commit, tree };
}

export async function restoreSnapshot(
  worktree: RunWorktree,
  target: RestoreTarget,
  salvageName: string,
): Promise<Restored> {
  const destination = await readDestination(worktree, target);
  await clearStaleLocks(worktree);
  const { salvageRef, before, nested, branch } = await salvage(worktree, salvageName, destination.tree);
  await clearInterruptedState(worktree);
  await repairGitFile(worktree);
  await pointBranch(worktree, destination.head, branch);
  await displaceNestedRepositories(worktree, nested, destination.tree);
  const submodules = await displaceSubmodules(worktree, before.tree, destination.tree);
  await putTree(worktree, destination.tree);
  await makeFolders(submodules);
  await resetIndex(worktree, destination.head);
  const { worktreePath, runId, harnessDir } = worktree.workspace;
  await ensureHarnessLink(worktreePath, runId, harnessDir);
  const { tree } = await takeTree(worktree, destination.head);
  if (tree !== destination.tree) {
    throw new GitError([], null, `the worktree is ${tree} after going back to ${destination.tree}`);
  }
  return { salvageRef, before, after: { commit: destination.commit, tree } };
}

interface Salvage {
  readonly salvageRef: string;
  readonly before: Snapshot;
  readonly nested: readonly string[];
  /** Where the run's branch was; null when it was gone. */
  readonly branch: string | null;
}

/** Keeps the worktree as it is, with every commit that only HEAD or the branch still leads to. */
async function salvage(
  worktree: RunWorktree,
  name: string,
  alsoTracked: string | null = null,
): Promise<Salvage> {
  const { git, workspace, branchRef } = worktree;
  const head = await headCommit(worktree);
  const branch = await commitAt(git, branchRef);
  const parents = branch === null || branch === head ? [head] : [head, branch];
  const { tree, nested } = await takeTree(worktree, head, alsoTracked);
  const commit = await commitTree(git, tree, parents, `${salvageSubject(workspace.runId)} ${name}`);
  const salvageRef = await keepUnderNewRef(git, `refs/conductor/salvage/${workspace.runId}/${name}`, commit);
  return { salvageRef, before: { commit, tree }, nested, branch };
}

export async function commitTree(
  git: Git,
  tree: string,
  parents: readonly string[],
  message: string,
): Promise<string> {
  const parentArgs = parents.flatMap((parent) => ['-p', parent]);
  return printedValue(await git(['commit-tree', tree, ...parentArgs, '-F', '-'], { stdin: message }));
}

/** A salvage is the last copy of something, so none ever replaces another. */
async function keepUnderNewRef(git: Git, wanted: string, commit: string): Promise<string> {
  for (let count = 1; count <= SALVAGE_NAME_LIMIT; count += 1) {
    const ref = count === 1 ? wanted : `${wanted}-${count}`;
    if ((await git(['show-ref', '--verify', '--quiet', ref], { answers: [1] })).exitCode === 0) continue;
    await git(['update-ref', '--no-deref', ref, commit, ''], { retryLocks: true });
    return ref;
  }
  throw new GitError([], null, `there are already ${SALVAGE_NAME_LIMIT} salvages called ${wanted}`);
}

interface Destination {
  readonly commit: string;
  readonly tree: string;
  /** Where the run's branch has to be. */
  readonly head: string;
}

/** A snapshot stands beside the branch: the branch was where its first parent is. */
async function readDestination(worktree: RunWorktree, target: RestoreTarget): Promise<Destination> {
  const { git, workspace } = worktree;
  if (target.kind === 'base') {
    const commit = workspace.baseSha;
    return { commit, tree: await treeOf(git, commit), head: commit };
  }
  const { commit } = target;
  const text = (await git(['cat-file', 'commit', commit])).stdout.toString('utf8');
  const tree = /^tree ([0-9a-f]+)$/m.exec(text)?.[1];
  const head = /^parent ([0-9a-f]+)$/m.exec(text)?.[1];
  const message = text.slice(text.indexOf('\n\n') + 2);
  const subjects = [snapshotSubject(workspace.runId), salvageSubject(workspace.runId)];
  const ofThisRun = subjects.some((subject) => message.startsWith(`${subject} `));
  if (tree === undefined || head === undefined || !ofThisRun) {
    throw new GitError([], null, `${commit} is not a snapshot of ${workspace.runId}`);
  }
  return { commit, tree, head };
}

function snapshotSubject(runId: string): string {
  return `conductor snapshot of ${runId}:`;
}

function salvageSubject(runId: string): string {
  return `conductor salvage of ${runId}:`;
}
