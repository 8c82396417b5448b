import type { Restored, RestoreTarget, Snapshot } from '../../ports/workspace.ts';
import { type Git, GitError, printedValue } from './git-command.ts';
import { ensureHarnessLink } from './harness-link.ts';
import { forgetIgnored, type KeptIgnored, keepIgnored, readKeptIgnored } from './ignored-keep.ts';
import { clearIgnored, writeIgnored } from './ignored-restore.ts';
import { clearLeftovers } from './leftovers.ts';
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
import { keepUnderNewRef, salvageRefOf } from './salvage-refs.ts';
import { displaceWorkedOn } from './submodule-state.ts';
import { forgetIndex, ourIndex, putTree, resetIndex, takeTree } from './worktree-tree.ts';

/** The newest snapshot of each worktree that this process made. */
const lastByWorktree = new Map<
  string,
  { readonly parents: string; readonly tree: string; readonly commit: string }
>();

/** When nothing has changed since the last one, it is the same commit under another name. */
export async function takeSnapshot(worktree: RunWorktree, name: string): Promise<Snapshot> {
  try {
    return await takeFromMemory(worktree, name);
  } catch (error) {
    // A step can take refs away and have git clear up: then what was stored before is not there any more.
    if (!(error instanceof GitError) || error.exitCode === null) throw error;
    lastByWorktree.delete(worktree.adminDir);
    forgetIgnored(worktree);
    await forgetIndex(worktree);
    return takeFromMemory(worktree, name);
  }
}

async function takeFromMemory(worktree: RunWorktree, name: string): Promise<Snapshot> {
  const { git, workspace, adminDir } = worktree;
  const { tree, head, ignored } = await takeTree(worktree, null);
  const kept = await keepIgnored(worktree, ignored);
  const subject = `${snapshotSubject(workspace.runId)} ${name}`;
  const parents = withIgnored([head], kept);
  const last = lastByWorktree.get(adminDir);
  const same = last?.tree === tree && last.parents === parents.join(' ');
  const commit = same ? last.commit : await commitTree(git, tree, parents, messageOf(subject, kept));
  lastByWorktree.set(adminDir, { parents: parents.join(' '), tree, commit });
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
  const salvaged = await salvage(worktree, salvageName, destination.tree);
  const { salvageRef, before, nested, branch } = salvaged;
  const ignored = await readKeptIgnored(worktree.git, destination.ignored);
  await clearInterruptedState(worktree);
  await repairGitFile(worktree);
  await pointBranch(worktree, destination.head, branch);
  const unread = await clearLeftovers(worktree, salvaged.listed, destination.tree);
  await displaceNestedRepositories(worktree, { nested, unread }, destination.tree);
  const index = ourIndex(worktree);
  const submodules = [
    ...(await displaceSubmodules(worktree, { fromTree: before.tree, toTree: destination.tree, index })),
    ...(await displaceWorkedOn(worktree, { evenClean: target.kind === 'base' })),
  ];
  await clearIgnored(worktree, salvaged.ignored, ignored);
  await putTree(worktree, destination.tree);
  await makeFolders(submodules);
  await writeIgnored(worktree, salvaged.ignored, ignored, { onlyMissing: false });
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
  readonly ignored: KeptIgnored;
  /** All that git ignores, also what is too large to keep. */
  readonly listed: readonly string[];
}

/** Keeps the worktree as it is, with every commit that only HEAD or the branch still leads to. */
export async function salvage(
  worktree: RunWorktree,
  name: string,
  alsoTracked: string | null = null,
): Promise<Salvage> {
  const { git, workspace, branchRef } = worktree;
  const head = await headCommit(worktree);
  const branch = await commitAt(git, branchRef);
  const parents = branch === null || branch === head ? [head] : [head, branch];
  const { tree, nested, ignored: listed } = await takeTree(worktree, head, alsoTracked);
  const ignored = await keepIgnored(worktree, listed);
  const subject = `${salvageSubject(workspace.runId)} ${name}`;
  const commit = await commitTree(git, tree, withIgnored(parents, ignored), messageOf(subject, ignored));
  const salvageRef = await keepUnderNewRef(git, salvageRefOf(workspace.runId, name), commit);
  return { salvageRef, before: { commit, tree }, nested, branch, ignored, listed };
}

/** As a parent, so that git does not clear them up as long as the snapshot is there. */
function withIgnored(parents: readonly string[], { commit }: KeptIgnored): readonly string[] {
  return commit === null ? parents : [...parents, commit];
}

function messageOf(subject: string, { commit }: KeptIgnored): string {
  return commit === null ? subject : `${subject}\n\nIgnored: ${commit}\n`;
}

/** The commit with the files that git ignored when a snapshot or salvage was made. */
export function ignoredOf(message: string): string | null {
  return /^Ignored: ([0-9a-f]+)$/m.exec(message)?.[1] ?? null;
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

interface Destination {
  readonly commit: string;
  readonly tree: string;
  /** Where the run's branch has to be. */
  readonly head: string;
  readonly ignored: string | null;
}

/** A snapshot stands beside the branch: the branch was where its first parent is. */
async function readDestination(worktree: RunWorktree, target: RestoreTarget): Promise<Destination> {
  const { git, workspace } = worktree;
  if (target.kind === 'base') {
    const commit = workspace.baseSha;
    return { commit, tree: await treeOf(git, commit), head: commit, ignored: null };
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
  return { commit, tree, head, ignored: ignoredOf(message) };
}

export function snapshotSubject(runId: string): string {
  return `conductor snapshot of ${runId}:`;
}

function salvageSubject(runId: string): string {
  return `conductor salvage of ${runId}:`;
}
