import { constants } from 'node:fs';
import { access, mkdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { RunWorkspace, WorkspaceRequest } from '../../../ports/workspace/workspace.ts';
import { hasErrorCode } from '../../../text/error-code.ts';
import { messageOf } from '../../../text/error-message.ts';
import { checkOutTree } from '../files/check-out.ts';
import { removeTree } from '../files/deep-folders.ts';
import { displace } from '../files/displaced.ts';
import { copyBaseIndex, rememberTree } from '../files/file-tree.ts';
import { ensureHarnessLink } from '../files/harness-link.ts';
import { clearScratch } from '../files/scratch.ts';
import { treeOf } from '../git/commits.ts';
import { kindOf, readRegularFile } from '../git/file-kind.ts';
import { createGit, type Git, GitError, printedValue } from '../git/git-command.ts';
import { findBranch, rememberBranch } from '../result/branch.ts';
import { ensureGitFolder } from './git-folder.ts';
import { type Layout, layOutCheckout, layOutStore } from './layout.ts';
import { adoptOrFindOwner, hasOrigin, writeOrigin } from './origin.ts';
import {
  baseRefOf,
  clearStaleLocks,
  describeRepository,
  isItemBranch,
  ownBranchRef,
  type RunRepository,
  runBranchName,
  runFolderOf,
  type UserRepository,
  userGit,
} from './run-repository.ts';
import { checkOutSubmodules, findSubmodules, writeSubmodules } from './submodules.ts';
import { readUserSettings } from './user-settings.ts';

export interface CreateOptions {
  /** Paths relative to the checkout that setup owns: they are never part of a snapshot. */
  readonly ownedPaths: readonly string[];
}

/** Names the folders and the branch of a run, so that they can be recorded before they exist. */
export function describeWorkspace(
  { repoRoot, workspacesDir }: Pick<UserRepository, 'repoRoot' | 'workspacesDir'>,
  request: WorkspaceRequest,
): RunWorkspace {
  const { runId, workflowId, baseRef, baseSha, harnessDir } = request;
  if (basename(runId) !== runId || runId === '' || runId === '..' || runId === '.')
    throw new GitError([], null, `${JSON.stringify(runId)} can't name a folder`);
  return {
    runId,
    repoRoot,
    checkoutPath: join(workspacesDir, runId, 'work'),
    judgePath: join(workspacesDir, runId, 'judge'),
    branchName: request.branch ?? runBranchName(workflowId, runId),
    baseRef,
    baseSha,
    harnessDir,
  };
}

/** Creates the workspace. If that fails, removes everything it has created. */
export async function createWorkspace(
  user: UserRepository,
  workspace: RunWorkspace,
  options: CreateOptions,
): Promise<void> {
  // Check write access first: git would retry for seconds and then report a lock file.
  for (const folder of [user.gitDir, join(user.gitDir, 'objects')]) await access(folder, constants.W_OK);
  await claimFolder(runFolderOf(workspace));
  try {
    await fillFolder(user, workspace, options);
  } catch (error) {
    await discardWorkspace(user, workspace);
    throw error;
  }
}

/**
 * Makes sure that the workspace of a recorded run is complete. Snapshots exist only in the workspace, so a missing
 * workspace is recreated only if no step has changed anything yet.
 */
export async function reopenWorkspace(
  user: UserRepository,
  workspace: RunWorkspace,
  tree: string | null,
  options: CreateOptions,
): Promise<void> {
  const repository = describeRepository(workspace, user.signal);
  if (!(await isComplete(repository))) {
    const untouched = tree === null || tree === (await treeOf(userGit(user), workspace.baseSha));
    if (!untouched)
      throw new GitError(
        [],
        null,
        `the workspace ${workspace.checkoutPath} isn't visible from this machine or container; resume the run where that folder is, or mount it`,
      );
    await clearStaleLocks(user, repository);
    await discardWorkspace(user, workspace);
    await createWorkspace(user, workspace, options);
    return;
  }
  const owner = await adoptOrFindOwner(user, repository);
  if (owner !== null)
    throw new GitError(
      [],
      null,
      `the workspace ${workspace.checkoutPath} belongs to the run in ${owner}, and this is a copy; resume the run there`,
    );
  await clearStaleLocks(user, repository);
  await clearScratch(repository);
  await restoreCheckout(repository, tree);
  await ensureGitFolder(repository);
  await ensureHarnessLink(repository, workspace.checkoutPath);
}

/** False for a workspace that is missing, or that was only half created. */
export function isComplete({ folder }: RunRepository): Promise<boolean> {
  return hasOrigin(folder);
}

/** Restores the files of a checkout that a step or the user deleted. */
async function restoreCheckout(repository: RunRepository, tree: string | null): Promise<void> {
  const { workspace, git, storeDir } = repository;
  const { checkoutPath } = workspace;
  const kind = await kindOf(checkoutPath);
  if (kind === 'folder') return;
  if (kind !== 'missing') await displace(repository, checkoutPath);
  await mkdir(checkoutPath, { recursive: true });
  // Delete the index: it still lists the deleted files as checked out.
  await rm(join(storeDir, 'index'), { force: true });
  await checkOutTree({ git, root: checkoutPath, storeDir }, tree ?? workspace.baseSha);
  await checkOutSubmodules(repository, checkoutPath);
}

async function fillFolder(
  user: UserRepository,
  workspace: RunWorkspace,
  { ownedPaths }: CreateOptions,
): Promise<void> {
  const { runId, baseSha, checkoutPath, branchName } = workspace;
  const repository = describeRepository(workspace, user.signal);
  const { storeDir, gitDir, folder } = repository;
  const git = userGit(user, runId);
  // This comes first: the ref keeps git from pruning the base while the run borrows its objects.
  await git(['update-ref', '--no-deref', baseRefOf(runId), baseSha], { retryLocks: true });
  const { layout, submodules } = await readLayout(user, workspace, ownedPaths);
  await layOutStore(storeDir, layout);
  await writeSubmodules(storeDir, submodules);
  await mkdir(checkoutPath);
  await checkOutTree({ git: repository.git, root: checkoutPath, storeDir }, baseSha);
  await rememberTree(repository, layout.baseTree);
  await layOutCheckout(storeDir, gitDir);
  await copyBaseIndex(repository);
  await checkOutSubmodules(repository, checkoutPath);
  const branch = isItemBranch(branchName) ? await findBranch(git, branchName) : null;
  await rememberBranch(repository, branch?.at ?? null);
  await ensureHarnessLink(repository, checkoutPath);
  await writeOrigin(folder, user.repoRoot);
}

async function readLayout(
  user: UserRepository,
  { runId, baseSha, baseRef, branchName }: RunWorkspace,
  ownedPaths: readonly string[],
) {
  const git = userGit(user, runId);
  const named = ['rev-parse', `${baseSha}^{tree}`, '--symbolic-full-name', baseRef];
  const [settings, base, tags, found, shallow, ignore, attributes] = await Promise.all([
    readUserSettings(git, user),
    git(named, { answers: [128] }),
    git(['for-each-ref', `--merged=${baseSha}`, '--format=%(objectname) %(refname)', 'refs/tags']),
    findSubmodules(user, baseSha),
    readRegularFile(join(user.gitDir, 'shallow')),
    readRegularFile(join(user.gitDir, 'info/exclude')),
    readRegularFile(join(user.gitDir, 'info/attributes')),
  ]);
  const [baseTree = '', baseName = ''] = printedValue(base).split('\n');
  const headRef = ownBranchRef(branchName);
  const layout: Layout = {
    settings,
    refs: collectRefs(tags.stdout.toString('utf8'), { baseSha, baseName, headRef }),
    headRef,
    baseTree,
    shallow,
    objectFolders: [join(user.gitDir, 'objects'), ...found.flatMap(({ objects }) => objects ?? [])],
    ignore: { local: ignore ?? '', global: (await readRegularFile(settings.ignoreFile)) ?? '' },
    attributes: { local: attributes ?? '', global: (await readRegularFile(settings.attributesFile)) ?? '' },
    ownedPaths,
  };
  return { layout, submodules: found };
}

/** The tags that are reachable from the base, the base branch, and the run's own branch. */
function collectRefs(
  tagLines: string,
  {
    baseSha,
    baseName,
    headRef,
  }: { readonly baseSha: string; readonly baseName: string; readonly headRef: string },
): ReadonlyMap<string, string> {
  const refs = new Map<string, string>();
  for (const line of tagLines.split('\n').filter((each) => each !== '')) {
    const at = line.indexOf(' ');
    refs.set(line.slice(at + 1), line.slice(0, at));
  }
  const branch = localBranch(baseName);
  // Skip a base branch called `conductor`: git allows no ref below another one, and the run's branch is below it.
  if (branch !== null && !headRef.startsWith(`${branch}/`)) refs.set(branch, baseSha);
  refs.set(headRef, baseSha);
  return refs;
}

/** The name of the base without a remote: `origin/main` is `main` in a repository without remotes. */
function localBranch(fullName: string): string | null {
  if (fullName.startsWith('refs/heads/')) return fullName;
  const remote = /^refs\/remotes\/[^/]+\/(.+)$/.exec(fullName)?.[1];
  return remote === undefined || remote === 'HEAD' ? null : `refs/heads/${remote}`;
}

/** Creating the folder claims it: of two runs with the same id one fails here, before it creates anything. */
async function claimFolder(folder: string): Promise<void> {
  try {
    await mkdir(dirname(folder), { recursive: true, mode: 0o700 });
    await mkdir(folder);
  } catch (error) {
    const exists = hasErrorCode(error, 'EEXIST') && (await kindOf(folder)) !== 'missing';
    const detail = exists ? `${folder} already exists` : errorText(error);
    throw new GitError([], null, detail, error);
  }
}

/**
 * Removes a workspace that contains no work. Git runs without the abort signal here, so that a cancelled run leaves
 * nothing behind.
 */
export async function discardWorkspace(user: UserRepository, workspace: RunWorkspace): Promise<void> {
  const folder = runFolderOf(workspace);
  await removeTree(folder);
  await deleteRef(createGit({ cwd: user.repoRoot, runId: workspace.runId }), baseRefOf(workspace.runId));
}

export async function deleteRef(git: Git, ref: string): Promise<void> {
  await git(['update-ref', '--no-deref', '-d', ref], { retryLocks: true });
}

function errorText(error: unknown): string {
  return messageOf(error);
}
