import type { BranchMade, RefMoved, RefSalvage, Salvage } from '../../ports/upkeep.ts';
import { type Git, GitError, printedValue } from './git-command.ts';
import { keepIgnored, readKeptIgnored } from './ignored-keep.ts';
import { writeIgnored } from './ignored-restore.ts';
import { displaceSubmodules, makeFolders } from './nested-repositories.ts';
import { commitAt, headCommit, type RunWorktree, treeOf } from './run-worktree.ts';
import { keepUnderNewRef, undoneRefOf } from './salvage-refs.ts';
import { ignoredOf } from './snapshots.ts';
import { ourIndex, putTree, takeTree } from './worktree-tree.ts';

/** The branch stays where it is, so that what came back shows as changes that are not committed. */
export async function bringBackFiles(worktree: RunWorktree, salvage: Salvage): Promise<void> {
  const { git } = worktree;
  const head = await headCommit(worktree);
  const wanted = await treeOf(git, salvage.commit);
  // Files that git ignores here, but that the salvage holds as files like any others, would be written over.
  const { tree, ignored } = await takeTree(worktree, head, wanted);
  if (tree !== (await treeOf(git, head)))
    throw new GitError([], null, `${worktree.workspace.worktreePath} holds changes that are not committed`);
  const submodules = await displaceSubmodules(worktree, {
    fromTree: tree,
    toTree: wanted,
    index: ourIndex(worktree),
  });
  await putTree(worktree, wanted);
  await makeFolders(submodules);
  const text = (await git(['cat-file', 'commit', salvage.commit])).stdout.toString('utf8');
  const kept = await readKeptIgnored(git, ignoredOf(text));
  await writeIgnored(worktree, await keepIgnored(worktree, ignored), kept, { onlyMissing: true });
}

export async function bringBackBranch(git: Git, branchName: string, salvage: Salvage): Promise<BranchMade> {
  const checked = await git(['check-ref-format', '--branch', branchName], { answers: [1, 128] });
  // It prints what `@{-1}` and the like stand for, which is not a new name.
  if (checked.exitCode !== 0 || printedValue(checked) !== branchName) return { ok: false, reason: 'invalid' };
  const ref = `refs/heads/${branchName}`;
  const present = await commitAt(git, ref);
  if (present !== null)
    return present === salvage.commit ? { ok: true, made: false } : { ok: false, reason: 'taken' };
  await git(['update-ref', '--no-deref', ref, salvage.commit, ''], { retryLocks: true });
  return { ok: true, made: true };
}

export async function bringBackRef(git: Git, { runId, commit, of }: RefSalvage): Promise<RefMoved> {
  const { refName } = of;
  const from = await objectAt(git, refName);
  if (from === commit) return { from, to: commit, salvageRef: null };
  const salvageRef = from === null ? null : await keepUnderNewRef(git, undoneRefOf(runId, refName), from);
  const message = ['-m', `conductor: undo of run ${runId}`];
  await git(['update-ref', '--no-deref', ...message, refName, commit, from ?? ''], { retryLocks: true });
  return { from, to: commit, salvageRef };
}

/** Whatever kind of object it leads to: a tag leads to no commit by itself. */
async function objectAt(git: Git, refName: string): Promise<string | null> {
  const found = await git(['rev-parse', '--verify', '--quiet', '--end-of-options', refName], {
    answers: [1, 128],
  });
  return found.exitCode === 0 ? printedValue(found) : null;
}
