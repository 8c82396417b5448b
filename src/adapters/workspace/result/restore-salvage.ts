import type { BranchResult, RefResult, RefSalvage, Salvage } from '../../../ports/upkeep.ts';
import { putTree, takeTree } from '../files/file-tree.ts';
import { keepIgnored, readKeptIgnored } from '../files/ignored/ignored-keep.ts';
import { writeIgnored } from '../files/ignored/ignored-restore.ts';
import { pathInside, textOfPath } from '../files/paths.ts';
import { ignoredOf, readCommit } from '../files/snapshots.ts';
import { commitAt } from '../git/commits.ts';
import { kindOf } from '../git/file-kind.ts';
import { type Git, GitError, printedValue } from '../git/git-command.ts';
import type { RunRepository } from '../repository/run-repository.ts';
import { readPublishedTree } from './publish.ts';
import { undoneRefOf } from './salvage-refs.ts';
import { addUserRef, fetchFromStore } from './user-refs.ts';

/** Restores the files of a salvage in the workspace, as changes that are not in the result. */
export async function restoreFiles(repository: RunRepository, salvage: Salvage): Promise<void> {
  const { git, workspace } = repository;
  const { tree, ignored } = await takeTree(repository);
  if (tree !== (await readPublishedTree(repository)))
    throw new GitError([], null, `${workspace.checkoutPath} has changes that are not in the result`);
  const { tree: wanted, message } = await readCommit(git, salvage.commit);
  await refuseOverwriting(repository, tree, wanted);
  await putTree(repository, wanted);
  const kept = await readKeptIgnored(git, ignoredOf(message));
  await writeIgnored(repository, await keepIgnored(repository, ignored), kept, { onlyMissing: true });
}

/** Throws if a file exists that the current tree does not have: git ignores it, so no commit has a copy. */
async function refuseOverwriting(repository: RunRepository, tree: string, wanted: string): Promise<void> {
  const argv = ['diff-tree', '-r', '-z', '--name-only', '--no-renames', '--diff-filter=A', tree, wanted];
  const added = (await repository.git(argv)).stdout.toString('latin1').split('\0').slice(0, -1);
  for (const path of added)
    if ((await kindOf(pathInside(repository, path))) !== 'missing')
      throw new GitError([], null, `${textOfPath(path)} exists and git ignores it; move it away first`);
}

/** Creates a branch of the user's repository at a salvage, which may still be in the run's store. */
export async function restoreAsBranch(
  git: Git,
  branchName: string,
  salvage: Salvage,
  storeDir: string,
): Promise<BranchResult> {
  const checked = await git(['check-ref-format', '--branch', branchName], { answers: [1, 128] });
  // Git resolves names such as `@{-1}` to an existing branch, which is not a new name.
  if (checked.exitCode !== 0 || printedValue(checked) !== branchName) return { ok: false, reason: 'invalid' };
  const ref = `refs/heads/${branchName}`;
  const present = await commitAt(git, ref);
  if (present !== null)
    return present === salvage.commit ? { ok: true, made: false } : { ok: false, reason: 'taken' };
  if (salvage.place === 'workspace') await fetchFromStore(git, storeDir, [`${salvage.ref}:${ref}`]);
  else await git(['update-ref', '--no-deref', ref, salvage.commit, ''], { retryLocks: true });
  return { ok: true, made: true };
}

/** Restores a ref to its salvaged value. Its current value is kept under a salvage ref. */
export async function restoreRef(git: Git, { runId, commit, of }: RefSalvage): Promise<RefResult> {
  const { refName } = of;
  const from = await objectAt(git, refName);
  if (from === commit) return { from, to: commit, salvageRef: null, checkout: null };
  const listed = await git(['for-each-ref', '--count=1', '--format=%(worktreepath)', refName]);
  const salvageRef = from === null ? null : await addUserRef(git, undoneRefOf(runId, refName), from);
  const message = ['-m', `conductor: undo of run ${runId}`];
  await git(['update-ref', '--no-deref', ...message, refName, commit, from ?? ''], { retryLocks: true });
  return { from, to: commit, salvageRef, checkout: printedValue(listed) || null };
}

/** The id of any kind of object: a tag may point to something other than a commit. */
async function objectAt(git: Git, refName: string): Promise<string | null> {
  const argv = ['rev-parse', '--verify', '--quiet', '--end-of-options', refName];
  const found = await git(argv, { answers: [1, 128] });
  return found.exitCode === 0 ? printedValue(found) : null;
}
