import { mkdir, readdir, readFile, realpath, rename, rm, rmdir, unlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { RunWorkspace, WorkspaceRequest } from '../../ports/workspace.ts';
import { hasCode, kindOf, readFileHere } from './file-kind.ts';
import { createGit, type Git, GitError } from './git-command.ts';
import { ensureHarnessLink } from './harness-link.ts';
import { giveBranchBack, takeItemBranch } from './item-branch.ts';
import { unlockFolders } from './locked-folders.ts';
import { withoutFilters } from './no-filters.ts';
import { moveOwnRef } from './own-ref.ts';
import {
  clearStaleLocks,
  commitAt,
  findAdminDir,
  headCommit,
  isItemBranch,
  openRunWorktree,
  ownBranchRef,
  registerAgain,
  repairGitFile,
  runBranchName,
} from './run-worktree.ts';
import { adoptIndex, clearDeadScratch, putTree } from './worktree-tree.ts';

export interface Repository {
  readonly repoRoot: string;
  readonly worktreesDir: string;
  readonly gitDir: string;
  /** Git in the user's checkout, at work for a run whose worktree may not be there. */
  readonly git: Git;
  readonly signal: AbortSignal | undefined;
}

/** Names what a run will have, so that it can be recorded before anything of it is made. */
export function describeWorkspace(
  place: Pick<Repository, 'repoRoot' | 'worktreesDir'>,
  request: WorkspaceRequest,
): RunWorkspace {
  const { runId, workflowId, baseRef, baseSha } = request;
  if (basename(runId) !== runId || runId === '' || runId === '..' || runId === '.') {
    throw new GitError([], null, `${JSON.stringify(runId)} cannot name a folder`);
  }
  return {
    runId,
    repoRoot: place.repoRoot,
    worktreePath: join(resolve(place.worktreesDir), runId),
    branchName: request.branch ?? runBranchName(workflowId, runId),
    baseRef,
    baseSha,
    harnessDir: resolve(request.harnessDir),
  };
}

export async function createWorktree(repository: Repository, workspace: RunWorkspace): Promise<void> {
  await claimFolder(workspace.worktreePath);
  let branch: TakenBranch | null = null;
  try {
    branch = await takeBranch(repository, workspace);
    await addWorktree(repository, workspace);
  } catch (error) {
    const failure = asGitError(error);
    await undoCreate(repository, workspace, branch).catch((left: unknown) => {
      const detail = `${failure.detail}; what was made could not be taken away: ${asGitError(left).message}`;
      throw new GitError(failure.argv, failure.exitCode, detail, error);
    });
    throw failure;
  }
}

interface TakenBranch {
  /** Where it was; null where it was not there. */
  readonly before: string | null;
}

/** A branch of the run's own must not be there yet; that of an item may be, from its earlier runs. */
async function takeBranch(repository: Repository, workspace: RunWorkspace): Promise<TakenBranch> {
  const { git, gitDir, worktreesDir } = repository;
  const { branchName, baseSha } = workspace;
  if (isItemBranch(branchName)) {
    const isOurs = (path: string) => dirname(path) === resolve(worktreesDir);
    return { before: await takeItemBranch({ git, gitDir, isOurs }, workspace) };
  }
  await git(['update-ref', '--no-deref', ownBranchRef(branchName), baseSha, ''], { retryLocks: true });
  return { before: null };
}

/** Makes sure that the branch and the worktree are there; files that are there are left as they are. */
export async function reopenWorktree(
  repository: Repository,
  workspace: RunWorkspace,
  tree: string | null,
): Promise<void> {
  const { git, gitDir, signal } = repository;
  const { worktreePath, runId, harnessDir, baseSha } = workspace;
  const branchRef = ownBranchRef(workspace.branchName);
  await moveStrangerAside(worktreePath);
  await adoptMoved(gitDir, worktreePath);
  await adoptForgotten(gitDir, workspace);
  const adminDir = await findAdminDir(gitDir, worktreePath);
  if (adminDir !== null && (await isHalfMade(adminDir))) await removeWorktree(git, gitDir, worktreePath);
  if ((await commitAt(git, branchRef)) === null) {
    await moveOwnRef(git, branchRef, baseSha, '');
  }
  const registered = (await findAdminDir(gitDir, worktreePath)) !== null;
  if (!registered || (await kindOf(worktreePath)) === 'missing') {
    await mkdir(dirname(worktreePath), { recursive: true });
    await keepOutOfGit(dirname(worktreePath));
    await addWorktree(repository, workspace);
    if (tree !== null) await putTree(await openRunWorktree(workspace, gitDir, signal), tree);
    return;
  }
  const worktree = await openRunWorktree(workspace, gitDir, signal);
  await clearStaleLocks(worktree);
  await clearDeadScratch(worktree);
  await repairGitFile(worktree);
  await ensureHarnessLink(worktreePath, runId, harnessDir);
}

/** Something that is not a folder stands where the worktree was: it is kept, under another name. */
async function moveStrangerAside(path: string): Promise<void> {
  const kind = await kindOf(path);
  if (kind === 'folder' || kind === 'missing') return;
  for (let count = 1; ; count += 1) {
    const aside = `${path}.displaced-${count}`;
    if ((await kindOf(aside)) !== 'missing') continue;
    await rename(path, aside);
    return;
  }
}

/** A worktree that moved or was copied together with its repository: git still has its old path on record. */
async function adoptMoved(gitDir: string, worktreePath: string): Promise<void> {
  if ((await kindOf(worktreePath)) !== 'folder' || (await findAdminDir(gitDir, worktreePath)) !== null)
    return;
  const record = join(gitDir, 'worktrees', basename(worktreePath), 'gitdir');
  if ((await kindOf(record)) !== 'other') return;
  await writeFile(record, `${join(await realpath(worktreePath), '.git')}\n`);
}

/** A folder that says it is the run's, and that git knows nothing of any more: to add a worktree would fail for its files. */
async function adoptForgotten(gitDir: string, workspace: RunWorkspace): Promise<void> {
  const { worktreePath } = workspace;
  if ((await kindOf(worktreePath)) !== 'folder' || (await findAdminDir(gitDir, worktreePath)) !== null)
    return;
  const link = await readFileHere(join(worktreePath, '.git'));
  if (link === `gitdir: ${join(gitDir, 'worktrees', basename(worktreePath))}\n`)
    await registerAgain(gitDir, workspace);
}

/** Git locks a worktree while it fills it; one that died then, before we had an index of it, never held any work. */
async function isHalfMade(adminDir: string): Promise<boolean> {
  const reason = await readFile(join(adminDir, 'locked'), 'utf8').catch(() => '');
  return reason.trim() === 'initializing' && (await kindOf(join(adminDir, 'conductor'))) === 'missing';
}

/** Twice `-f`: git still counts a worktree that was deleted as checked out, and one that was locked even more. */
async function addWorktree(repository: Repository, workspace: RunWorkspace): Promise<void> {
  const { worktreePath, branchName, runId, harnessDir } = workspace;
  const { git } = repository;
  const env = await withoutFilters(git);
  await git(['worktree', 'add', '-f', '-f', '-q', worktreePath, branchName], { env, retryLocks: true });
  const worktree = await openRunWorktree(workspace, repository.gitDir, repository.signal);
  await adoptIndex(worktree, await headCommit(worktree));
  await ensureHarnessLink(worktreePath, runId, harnessDir);
}

/** Making the folder is what claims it: of two runs with the same id one fails here, having made nothing. */
async function claimFolder(path: string): Promise<void> {
  const folder = dirname(path);
  try {
    await mkdir(folder, { recursive: true });
  } catch (error) {
    const blocked = hasCode(error, 'EEXIST') || hasCode(error, 'ENOTDIR');
    throw blocked ? new GitError([], null, `${folder} is not a folder`, error) : asGitError(error);
  }
  try {
    await mkdir(path);
    await keepOutOfGit(folder);
  } catch (error) {
    if (hasCode(error, 'EEXIST')) throw new GitError([], null, `${path} already exists`, error);
    throw asGitError(error);
  }
}

/** Ignores itself too, so that the folder can lie in the user's checkout without showing up in its status. */
async function keepOutOfGit(folder: string): Promise<void> {
  await writeFile(join(folder, '.gitignore'), '*\n', { flag: 'wx' }).catch((error: unknown) => {
    if (!hasCode(error, 'EEXIST')) throw error;
  });
}

/** Also when the run was cancelled, which is why this git does not listen to the signal. */
async function undoCreate(
  repository: Repository,
  workspace: RunWorkspace,
  branch: TakenBranch | null,
): Promise<void> {
  const git = createGit({ cwd: repository.repoRoot, runId: workspace.runId });
  await removeWorktree(git, repository.gitDir, workspace.worktreePath);
  await removeIfBare(dirname(workspace.worktreePath));
  if (branch !== null) await giveBranchBack(git, workspace, branch.before);
}

/** Takes the folder of worktrees away when nothing but its ignore file is left in it. */
async function removeIfBare(folder: string): Promise<void> {
  const names = await readdir(folder).catch((): string[] => []);
  if (names.length !== 1 || names[0] !== '.gitignore') return;
  await unlink(join(folder, '.gitignore'));
  await rmdir(folder);
}

/** For a worktree whose files are kept or were never worked on. */
export async function removeWorktree(git: Git, gitDir: string, worktreePath: string): Promise<void> {
  await unlockFolders(worktreePath);
  // It refuses a worktree that was never registered or is damaged; the folders then go by hand.
  await git(['worktree', 'remove', '--force', '--force', worktreePath], { answers: [1, 128, 255] });
  const adminDir = await findAdminDir(gitDir, worktreePath);
  if (adminDir !== null) await rm(adminDir, { recursive: true, force: true });
  await rm(worktreePath, { recursive: true, force: true });
}

function asGitError(error: unknown): GitError {
  if (error instanceof GitError) return error;
  return new GitError([], null, error instanceof Error ? error.message : String(error), error);
}
