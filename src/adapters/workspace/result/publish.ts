import { constants } from 'node:fs';
import { copyFile, mkdir, readdir, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type {
  BranchLeftAlone,
  Published,
  RunResult,
  RunWorkspace,
} from '../../../ports/workspace/workspace.ts';
import { readCommit } from '../files/snapshots.ts';
import { commitTree, treeOf } from '../git/commits.ts';
import { kindOf } from '../git/file-kind.ts';
import { type Git, GitError } from '../git/git-command.ts';
import { readBaseTree } from '../repository/layout.ts';
import {
  describeRepository,
  isItemBranch,
  ownBranchRef,
  type RunRepository,
  type UserRepository,
  userGit,
} from '../repository/run-repository.ts';
import { readStoreRef, writeStoreRef } from '../repository/store-refs.ts';
import { readUserSettings, type UserSettings } from '../repository/user-settings.ts';
import { type FoundBranch, findBranch, recallBranch, rememberBranch } from './branch.ts';
import { RESULT_NAME, salvageRefOf } from './salvage-refs.ts';
import { addUserRef, fetchFromStore } from './user-refs.ts';

/** The new commit of the run's branch. It is durable in the store before the user's repository fetches it. */
export const RESULT_REF = 'refs/conductor/result';

/**
 * Publishes the result to the user's repository: one commit on the base, one fetch. A branch that is checked out, or
 * that the user moved, stays unchanged; the result then goes to a salvage ref. After a crash, publishing again gives
 * the same commit.
 */
export async function publishResult(
  user: UserRepository,
  workspace: RunWorkspace,
  result: RunResult,
): Promise<Published> {
  const repository = describeRepository(workspace, user.signal);
  const { storeDir } = repository;
  const git = userGit(user, workspace.runId);
  const earlier = await readStoreRef(storeDir, RESULT_REF);
  const isChanged = result.tree !== (await readBaseTree(storeDir));
  // If a gate published the branch and everything was rolled back since, the branch returns to the base.
  if (!isChanged && earlier === null) return { commit: workspace.baseSha, ref: null, leftAlone: null };
  const settings = await readUserSettings(git, user);
  const commit = isChanged ? await makeCommit(repository, settings, result, earlier) : workspace.baseSha;
  const found = await findBranch(git, workspace.branchName);
  const expected = await recallBranch(repository);
  // A process crashed after the fetch and before it recorded the branch.
  if (found.at !== null && found.at === earlier && earlier !== expected)
    await rememberBranch(repository, earlier);
  await writeStoreRef(storeDir, RESULT_REF, commit);
  await copyLargeFiles(user, repository, settings);
  const leftAlone =
    checkLeftAlone(workspace, found, [expected, earlier]) ??
    (await moveBranch(repository, git, { found, earlier, commit }));
  if (leftAlone === null) return { commit, ref: ownBranchRef(workspace.branchName), leftAlone };
  await fetchFromStore(git, storeDir, [`+${RESULT_REF}:${leftAlone.salvageRef}`], workspace.baseSha);
  return { commit, ref: leftAlone.salvageRef, leftAlone };
}

/** The tree of the run's result that the user's repository has. */
export async function readPublishedTree({ git, storeDir }: RunRepository): Promise<string> {
  const result = await readStoreRef(storeDir, RESULT_REF);
  return result === null ? readBaseTree(storeDir) : treeOf(git, result);
}

/**
 * Reuses the earlier commit if the result is the same, so that publishing again after a crash gives the same commit.
 */
async function makeCommit(
  { git, workspace }: RunRepository,
  { identity }: UserSettings,
  { tree, message }: RunResult,
  earlier: string | null,
): Promise<string> {
  if (earlier !== null) {
    const known = await readCommit(git, earlier);
    if (known.tree === tree && known.message === message) return earlier;
  }
  const env = {
    GIT_AUTHOR_NAME: identity.name,
    GIT_AUTHOR_EMAIL: identity.email,
    GIT_COMMITTER_NAME: identity.name,
    GIT_COMMITTER_EMAIL: identity.email,
  };
  return commitTree(git, tree, [workspace.baseSha], message, env);
}

function checkLeftAlone(
  workspace: RunWorkspace,
  found: FoundBranch,
  expected: readonly (string | null)[],
): BranchLeftAlone | null {
  if (found.checkout !== null) return describeLeftAlone(workspace, found, 'checked_out');
  return expected.includes(found.at) ? null : describeLeftAlone(workspace, found, 'moved');
}

function describeLeftAlone(
  { branchName, runId }: RunWorkspace,
  { at, checkout }: FoundBranch,
  reason: BranchLeftAlone['reason'],
  detail: string | null = null,
): BranchLeftAlone {
  return { branchName, reason, at, checkout, detail, salvageRef: salvageRefOf(runId, RESULT_NAME) };
}

interface Move {
  readonly found: FoundBranch;
  readonly earlier: string | null;
  readonly commit: string;
}

/**
 * Returns null if the branch was moved. Git refuses if the user has checked it out in the meantime, or if its name
 * conflicts with another branch.
 */
async function moveBranch(
  repository: RunRepository,
  git: Git,
  { found, earlier, commit }: Move,
): Promise<BranchLeftAlone | null> {
  const { storeDir, workspace } = repository;
  const { branchName, baseSha, runId } = workspace;
  // The branch of an item contains the work of an earlier run and may be the only ref to it.
  if (isItemBranch(branchName) && found.at !== null && found.at !== earlier && found.at !== baseSha)
    await addUserRef(git, salvageRefOf(runId, 'branch'), found.at);
  try {
    await fetchFromStore(git, storeDir, [`+${RESULT_REF}:${ownBranchRef(branchName)}`], baseSha);
  } catch (error) {
    if (!(error instanceof GitError) || error.exitCode === null) throw error;
    const checkout = /checked out at '(.+)'$/.exec(error.detail)?.[1] ?? null;
    if (checkout !== null) return describeLeftAlone(workspace, { ...found, checkout }, 'checked_out');
    return describeLeftAlone(workspace, found, 'refused', error.detail);
  }
  await rememberBranch(repository, commit);
  return null;
}

/**
 * Copies the contents of new LFS files to where the user's checkout looks for them: the commit has only their pointers.
 */
async function copyLargeFiles(
  { gitDir }: UserRepository,
  { storeDir }: RunRepository,
  { lfsStorage }: UserSettings,
): Promise<void> {
  const from = join(storeDir, 'lfs/objects');
  const names = await readdir(from, { recursive: true }).catch((): string[] => []);
  for (const name of names.filter((each) => /(?:^|\/)[0-9a-f]{64}$/.test(each))) {
    const target = join(lfsStorage ?? join(gitDir, 'lfs'), 'objects', name);
    if ((await kindOf(target)) !== 'missing') continue;
    await mkdir(dirname(target), { recursive: true });
    // Copy first, then rename, so that a crash leaves no partial file under the final name.
    const temporary = `${target}.${process.pid}`;
    await copyFile(join(from, name), temporary, constants.COPYFILE_FICLONE);
    await rename(temporary, target);
  }
}
