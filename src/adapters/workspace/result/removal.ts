import { rename } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Removal, WorkspaceState } from '../../../ports/upkeep.ts';
import type { RunWorkspace } from '../../../ports/workspace/workspace.ts';
import { removeTree } from '../files/deep-folders.ts';
import { displacedItems } from '../files/displaced.ts';
import { takeTree } from '../files/file-tree.ts';
import { keepIgnored } from '../files/ignored/ignored-keep.ts';
import { findLeftovers } from '../files/leftovers.ts';
import { textOfPath } from '../files/paths.ts';
import { salvage } from '../files/snapshots.ts';
import { removeSpecialFiles } from '../files/special-files.ts';
import { removeTemporaryFolder } from '../files/temporary-folder.ts';
import { commitAt } from '../git/commits.ts';
import { kindOf, readRegularFile } from '../git/file-kind.ts';
import { type Git, GitError } from '../git/git-command.ts';
import { agentGit, keepCommit, readHeads } from '../repository/agent-commits.ts';
import { deleteRef, isComplete } from '../repository/create.ts';
import { readGitFolder, refsIn } from '../repository/git-folder.ts';
import { adoptOrFindOwner } from '../repository/origin.ts';
import {
  baseRefOf,
  clearStaleLocks,
  describeRepository,
  isItemBranch,
  openRunRepository,
  ownBranchRef,
  type RunRepository,
  runFolderOf,
  type UserRepository,
  userGit,
} from '../repository/run-repository.ts';
import { addStoreRef, listStoreRefs, readStoreRef } from '../repository/store-refs.ts';
import { changedSubmodules } from '../repository/submodules.ts';
import { findBranch } from './branch.ts';
import { RESULT_REF, readPublishedTree } from './publish.ts';
import { COMMITS_NAME, RESULT_NAME, SALVAGE_ROOT, salvageRefOf } from './salvage-refs.ts';
import { addUserRef, fetchFromStore } from './user-refs.ts';

/** Name of the salvage with the files of a workspace that are not in the result. */
const FILES_NAME = 'worktree';
/** Name of the salvage of the run's branch, if its commits are not reachable from another ref. */
const BRANCH_NAME = 'branch';

export async function readWorkspaceState(
  user: UserRepository,
  workspace: RunWorkspace,
): Promise<WorkspaceState> {
  if ((await kindOf(workspace.checkoutPath)) !== 'folder') return 'missing';
  const repository = await openRunRepository(workspace, user.signal);
  const { tree } = await takeTree(repository);
  return tree === (await readPublishedTree(repository)) ? 'clean' : 'changed';
}

/**
 * Removes the workspace of a run. First salvages what only the workspace has to the user's repository. Then renames the
 * folder, so that a half-removed one is never mistaken for a workspace.
 */
export async function removeWorkspace(user: UserRepository, workspace: RunWorkspace): Promise<Removal> {
  const folder = runFolderOf(workspace);
  const trash = join(dirname(folder), `.removed-${workspace.runId}`);
  const git = userGit(user, workspace.runId);
  const repository = describeRepository(workspace, user.signal);
  await clearStaleLocks(user, repository);
  await removeFolder(trash);
  const exists = (await kindOf(folder)) === 'folder';
  const owner = exists ? await adoptOrFindOwner(user, repository) : null;
  if (owner !== null) {
    await deleteRef(git, baseRefOf(workspace.runId));
    const note = `${folder} stays: it belongs to the run in ${owner}, and this is a copy`;
    return { ok: true, removed: false, salvageRef: null, notes: [note] };
  }
  const kept = exists && (await isComplete(repository)) ? await keepContents(repository, git) : NOTHING_KEPT;
  if ('refusal' in kept) return { ok: false, reason: kept.refusal };
  if (exists) await rename(folder, trash);
  await removeFolder(trash);
  await removeTemporaryFolder(workspace.checkoutPath);
  await removeTemporaryFolder(workspace.judgePath);
  await deleteRef(git, baseRefOf(workspace.runId));
  return { ok: true, removed: exists, ...kept };
}

async function removeFolder(path: string): Promise<void> {
  await removeTree(path);
}

interface Kept {
  readonly salvageRef: string | null;
  readonly notes: readonly string[];
}

interface Refusal {
  readonly refusal: string;
}

const NOTHING_KEPT: Kept = { salvageRef: null, notes: [] };

async function keepContents(repository: RunRepository, git: Git): Promise<Kept | Refusal> {
  const { workspace, storeDir } = repository;
  const { checkoutPath, branchName, baseSha, runId } = workspace;
  if ((await kindOf(join(storeDir, 'HEAD'))) === 'missing')
    return { refusal: `${storeDir} is missing, so the files in ${checkoutPath} can't be kept` };
  const hasFiles = (await kindOf(checkoutPath)) === 'folder';
  const kept = hasFiles ? await keepFiles(repository) : NOTHING_KEPT;
  if ('refusal' in kept) return kept;
  if (hasFiles) await keepAgentCommits(repository);
  const result = await readStoreRef(storeDir, RESULT_REF);
  const isPublished = result !== null && result !== baseSha;
  const salvages = await listStoreRefs(storeDir, SALVAGE_ROOT);
  const refspecs = [
    ...(salvages.size === 0 ? [] : [`${SALVAGE_ROOT}/*:${SALVAGE_ROOT}/*`]),
    // If the user deleted the branch, keep the result of the run under a salvage ref.
    ...(isPublished && (await commitAt(git, ownBranchRef(branchName))) === null
      ? [`+${RESULT_REF}:${salvageRefOf(runId, RESULT_NAME)}`]
      : []),
  ];
  if (refspecs.length > 0) await fetchFromStore(git, storeDir, refspecs, baseSha);
  return kept;
}

async function keepFiles(repository: RunRepository): Promise<Kept | Refusal> {
  const { checkoutPath } = repository.workspace;
  await removeSpecialFiles(checkoutPath);
  const { tree, ignored, owned } = await takeTree(repository);
  const own = await findOwnRepositories(repository, [...ignored, ...owned]);
  if (own.length > 0)
    return {
      refusal: `${checkoutPath} contains repositories, and their commits can't be kept: ${own.join(', ')}`,
    };
  const { files, leftOut } = await keepIgnored(repository, ignored);
  const isPublished =
    tree === (await readPublishedTree(repository)) &&
    files.size === 0 &&
    (await changedSubmodules(repository)).length === 0;
  const salvaged = isPublished ? null : await salvage(repository, FILES_NAME);
  const displaced = await displacedItems(repository);
  return {
    salvageRef: salvaged?.salvageRef ?? null,
    notes: [
      ...leftOut.map((path) => `too large to keep: ${textOfPath(path)}`),
      ...displaced.map((path) => `not kept, because a restore had moved it aside: ${basename(path)}`),
    ],
  };
}

/**
 * Finds repositories inside the checkout. Their commits are in no object store of the run, so no salvage would keep
 * them.
 */
async function findOwnRepositories(
  repository: RunRepository,
  ignored: readonly string[],
): Promise<readonly string[]> {
  const skipped = new Set(ignored);
  const { repositories } = await findLeftovers(repository.workspace.checkoutPath, (folder) =>
    skipped.has(`${folder}/`),
  );
  const displaced: string[] = [];
  for (const path of await displacedItems(repository))
    for (const name of ['HEAD', '.git'])
      if ((await kindOf(join(path, name))) !== 'missing') displaced.push(path);
  return [...repositories.map(textOfPath), ...displaced];
}

/** Keeps commits of the agent that neither the base nor a salvage has, from all refs of its repository. */
async function keepAgentCommits(repository: RunRepository): Promise<void> {
  const { workspace, storeDir } = repository;
  const state = await readGitFolder(repository);
  if (state === null) return;
  const atStart = (await readRegularFile(join(storeDir, 'packed-refs'))) ?? '';
  const { head } = await readHeads(repository);
  const values = new Set([...Object.values(refsIn(state).refs), ...(head === null ? [] : [head])]);
  const git = agentGit(repository);
  for (const commit of [...values].filter((value) => !atStart.includes(value))) {
    const known = ['--not', workspace.baseSha, `--glob=${SALVAGE_ROOT}`];
    const unknown = await git(['rev-list', '--max-count=1', commit, ...known], { answers: [128] });
    const isUnknown = unknown.exitCode === 0 && unknown.stdout.length > 0;
    if (isUnknown && (await keepCommit(repository, commit)))
      await addStoreRef(storeDir, salvageRefOf(workspace.runId, COMMITS_NAME), commit);
  }
}

/** Removes the run's branch. Its salvages stay, and so does the branch of a work item. */
export async function removeRunRefs(user: UserRepository, workspace: RunWorkspace): Promise<Removal> {
  const { branchName, baseSha, runId } = workspace;
  const git = userGit(user, runId);
  await deleteEarlierSnapshots(git, runId);
  const { at, checkout } = await findBranch(git, branchName);
  if (isItemBranch(branchName) || at === null) return { ok: true, removed: true, ...NOTHING_KEPT };
  if (checkout !== null) {
    const notes = [`the branch ${branchName} stays, because it is checked out in ${checkout}`];
    return { ok: true, removed: false, salvageRef: null, notes };
  }
  const isLost = at !== baseSha && !(await isReachableElsewhere(git, at));
  const salvageRef = isLost ? await addUserRef(git, salvageRefOf(runId, BRANCH_NAME), at) : null;
  await git(['update-ref', '--no-deref', '-d', ownBranchRef(branchName), at], { retryLocks: true });
  return { ok: true, removed: true, salvageRef, notes: [] };
}

/** Whether the commit is reachable from a ref that belongs to no run. */
async function isReachableElsewhere(git: Git, commit: string): Promise<boolean> {
  const others = ['--exclude=refs/conductor/*', '--exclude=refs/heads/conductor/run/*', '--all'];
  const unreachable = await git(['rev-list', '--max-count=1', commit, '--not', ...others]);
  return unreachable.stdout.length === 0;
}

/**
 * Deletes snapshots that earlier versions stored in the user's repository. Old values of refs, and stashes, that are
 * stored beside them become salvages.
 */
async function deleteEarlierSnapshots(git: Git, runId: string): Promise<void> {
  if (['', 'salvage', 'base', 'item'].includes(runId))
    throw new GitError([], null, `"${runId}" is not a run`);
  const root = `refs/conductor/${runId}/`;
  const listed = await git(['for-each-ref', '--format=%(objectname) %(refname)', root]);
  const commands = listed.stdout
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '')
    .flatMap((line) => {
      const [value = '', ref = ''] = line.split(' ');
      const name = ref.slice(root.length);
      const kept = /^(?:moved|stash)\//.test(name) ? [`update ${salvageRefOf(runId, name)} ${value}`] : [];
      return [...kept, `delete ${ref} ${value}`];
    });
  if (commands.length === 0) return;
  await git(['update-ref', '--no-deref', '--stdin'], { stdin: `${commands.join('\n')}\n`, retryLocks: true });
}
