import { readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { RunWorkspace } from '../../../ports/workspace/workspace.ts';
import { kindOf } from '../git/file-kind.ts';
import { createGit, type Git, GitError } from '../git/git-command.ts';

/** The user's repository: runs borrow its objects and publish their results to it. */
export interface UserRepository {
  /** The top of the user's checkout; it may be a linked worktree itself. */
  readonly repoRoot: string;
  /** The git folder that all of its worktrees share. */
  readonly gitDir: string;
  /** Contains the folders of the repository's runs. */
  readonly workspacesDir: string;
  readonly signal?: AbortSignal | undefined;
  /** Whether runs move between machines, so that paths in records mean nothing here. */
  readonly movesRuns?: boolean;
}

/**
 * The private repository of a run. Its checkout has a `.git` that belongs to the agent; snapshots live in a store beside
 * it that conductor alone writes, with an index of its own. So nothing that an agent does to its `.git` (configuration,
 * hooks, filters, index, gc) can change what conductor sees or make it run a program.
 */
export interface RunRepository {
  readonly workspace: RunWorkspace;
  /** Contains the checkouts and the store. */
  readonly folder: string;
  readonly storeDir: string;
  /** The `.git` of the checkout. */
  readonly gitDir: string;
  /** What a snapshot may add to the last one. */
  readonly bounds: SnapshotBounds;
  /** Works on the files of the checkout with the objects and the configuration of the store. */
  readonly git: Git;
}

const RUN_PREFIX = 'conductor/run/';
const ITEM_PREFIX = 'conductor/item/';

/**
 * Conductor's git reads only the store's configuration: an agent without a sandbox can change the user's configuration.
 */
const OWN_CONFIGURATION = { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };

export function userGit({ repoRoot, signal }: UserRepository, runId?: string): Git {
  return createGit({ cwd: repoRoot, signal, ...(runId === undefined ? {} : { runId }) });
}

export function runFolderOf(workspace: Pick<RunWorkspace, 'checkoutPath'>): string {
  return dirname(workspace.checkoutPath);
}

export function storeDirOf(workspace: Pick<RunWorkspace, 'checkoutPath'>): string {
  return join(runFolderOf(workspace), 'store');
}

/** Git in the store, with one of the run's checkouts as its work tree. */
export function storeGit(
  workspace: Pick<RunWorkspace, 'checkoutPath' | 'runId'>,
  place: { readonly workTree: string; readonly index: string; readonly signal?: AbortSignal | undefined },
): Git {
  const env = {
    ...OWN_CONFIGURATION,
    GIT_DIR: storeDirOf(workspace),
    GIT_WORK_TREE: place.workTree,
    GIT_INDEX_FILE: place.index,
    // A file whose LFS object the user has not downloaded stays a pointer.
    GIT_LFS_SKIP_DOWNLOAD_ERRORS: '1',
  };
  return createGit({ cwd: place.workTree, env, signal: place.signal, runId: workspace.runId });
}

/** What one snapshot may add to the last one. Ignored files don't count: they are in no snapshot. */
export interface SnapshotBounds {
  readonly bytes: number;
  readonly files: number;
}

/**
 * Git reads whole files to compare them, and a person reviews what a run changed. A larger change is generated output,
 * not source code, and belongs in an ignored folder.
 */
export const SNAPSHOT_BOUNDS: SnapshotBounds = { bytes: 1e9, files: 200_000 };

export async function openRunRepository(
  workspace: RunWorkspace,
  signal: AbortSignal | undefined,
  bounds?: SnapshotBounds,
): Promise<RunRepository> {
  const { checkoutPath } = workspace;
  if ((await kindOf(checkoutPath)) !== 'folder')
    throw new GitError([], null, `the workspace ${checkoutPath} is missing`);
  return describeRepository(workspace, signal, bounds);
}

/** As `openRunRepository`, for a checkout that may not exist yet. */
export function describeRepository(
  workspace: RunWorkspace,
  signal: AbortSignal | undefined,
  bounds: SnapshotBounds = SNAPSHOT_BOUNDS,
): RunRepository {
  const { checkoutPath } = workspace;
  const storeDir = storeDirOf(workspace);
  return {
    workspace,
    folder: runFolderOf(workspace),
    storeDir,
    bounds,
    gitDir: join(checkoutPath, '.git'),
    git: storeGit(workspace, { workTree: checkoutPath, index: join(storeDir, 'index'), signal }),
  };
}

/** The branch of a work item outlives the runs that work on it. */
export function isItemBranch(branchName: string): boolean {
  return branchName.startsWith(ITEM_PREFIX);
}

/** Conductor only moves branches of runs and of work items; another name is a bug in the caller. */
export function ownBranchRef(branchName: string): string {
  if (!branchName.startsWith(RUN_PREFIX) && !isItemBranch(branchName))
    throw new GitError([], null, `${branchName} is not the branch of a run`);
  return `refs/heads/${branchName}`;
}

export function runBranchName(workflowId: string, runId: string): string {
  return `${RUN_PREFIX}${refComponent(workflowId)}/${refComponent(runId)}`;
}

/** Replaces what git forbids in a ref but ids may contain: two dots in a row, a dot or `.lock` at the end. */
function refComponent(id: string): string {
  return id
    .replace(/\.(?=\.)/g, '-')
    .replace(/\.$/, '-')
    .replace(/\.lock$/i, '-lock');
}

export function baseRefOf(runId: string): string {
  return `refs/conductor/base/${runId}`;
}

/**
 * Removes stale locks of killed processes: in the private repositories, and on the refs of the user's repository that
 * only this run writes. The caller makes sure that no other process works on the run.
 */
export async function clearStaleLocks(
  { gitDir: userGitDir }: UserRepository,
  { storeDir, gitDir, workspace }: RunRepository,
): Promise<void> {
  for (const folder of [storeDir, gitDir])
    for (const name of await readdir(folder).catch((): string[] => []))
      if (name.endsWith('.lock')) await rm(join(folder, name), { recursive: true, force: true });
  for (const ref of [ownBranchRef(workspace.branchName), baseRefOf(workspace.runId)])
    await rm(join(userGitDir, `${ref}.lock`), { force: true });
  const salvages = join(userGitDir, 'refs/conductor/salvage');
  for (const name of await readdir(salvages).catch((): string[] => []))
    if (name.startsWith(workspace.runId) && name.endsWith('.lock'))
      await rm(join(salvages, name), { force: true });
}
