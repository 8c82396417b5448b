import { mkdir, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { RunWorkspace } from '../../ports/workspace.ts';
import { kindOf, readFileHere } from './file-kind.ts';
import { settingsForFileSystem } from './file-system.ts';
import { type Git, GitError, printedValue } from './git-command.ts';
import { displace } from './harness-link.ts';
import { createGitWithoutFilters } from './no-filters.ts';
import { clearOwnRefLocks, moveOwnRef } from './own-ref.ts';

/** A run's worktree with everything that is needed to work on it. */
export interface RunWorktree {
  readonly workspace: RunWorkspace;
  /** The worktree's own part of the git folder: its HEAD, its index. */
  readonly adminDir: string;
  readonly gitDir: string;
  readonly branchRef: string;
  /** Git told by name which repository and folder it works on; see `openRunWorktree`. */
  readonly git: Git;
}

const BRANCH_PREFIX = 'conductor/run/';
const ITEM_PREFIX = 'conductor/item/';

/** What a merge, rebase or the like leaves behind when it stops half way. None of it may outlive a restore. */
const INTERRUPTED_STATE = [
  'MERGE_HEAD',
  'MERGE_MODE',
  'MERGE_MSG',
  'MERGE_AUTOSTASH',
  'AUTO_MERGE',
  'CHERRY_PICK_HEAD',
  'REVERT_HEAD',
  'SQUASH_MSG',
  'BISECT_LOG',
  'rebase-merge',
  'rebase-apply',
  'sequencer',
];

/**
 * Git is never left to discover the repository from the worktree: an agent that took `.git` away would
 * make it find the user's checkout around it, and the next restore would write there.
 */
export async function openRunWorktree(
  workspace: RunWorkspace,
  gitDir: string,
  signal: AbortSignal | undefined,
): Promise<RunWorktree> {
  const { worktreePath } = workspace;
  const branchRef = ownBranchRef(workspace.branchName);
  if ((await kindOf(worktreePath)) !== 'folder') {
    throw new GitError([], null, `the worktree ${worktreePath} is not a folder`);
  }
  const adminDir = await findAdminDir(gitDir, worktreePath);
  if (adminDir === null) {
    throw new GitError([], null, `${worktreePath} is not a worktree of this repository`);
  }
  const env = { GIT_DIR: adminDir, GIT_WORK_TREE: worktreePath };
  const settings = await settingsForFileSystem(worktreePath);
  const place = { cwd: worktreePath, env, settings, signal, runId: workspace.runId };
  const files = [join(gitDir, 'config'), join(gitDir, 'config.worktree'), join(adminDir, 'config.worktree')];
  return { workspace, adminDir, gitDir, branchRef, git: createGitWithoutFilters(place, files) };
}

/** The branch of a work item outlives its runs. */
export function isItemBranch(branchName: string): boolean {
  return branchName.startsWith(ITEM_PREFIX);
}

/** Only branches of runs and of work items are ever moved or deleted; any other name is a bug of the caller. */
export function ownBranchRef(branchName: string): string {
  if (!branchName.startsWith(BRANCH_PREFIX) && !isItemBranch(branchName)) {
    throw new GitError([], null, `${branchName} is not a branch of a run`);
  }
  return `refs/heads/${branchName}`;
}

export function runBranchName(workflowId: string, runId: string): string {
  return `${BRANCH_PREFIX}${refComponent(workflowId)}/${refComponent(runId)}`;
}

/** Workflow ids may hold what git forbids in a ref: two dots in a row, a dot or `.lock` at the end. */
function refComponent(id: string): string {
  return id
    .replace(/\.(?=\.)/g, '-')
    .replace(/\.$/, '-')
    .replace(/\.lock$/i, '-lock');
}

export async function findAdminDir(gitDir: string, worktreePath: string): Promise<string | null> {
  const folder = join(gitDir, 'worktrees');
  const wanted = join(await realFolder(worktreePath), '.git');
  const likely = basename(worktreePath);
  const names = await readdir(folder).catch((): string[] => []);
  for (const name of names.includes(likely) ? [likely, ...names] : names) {
    const recorded = await readFile(join(folder, name, 'gitdir'), 'utf8').catch(() => '');
    // Newer versions of git may record the path relative to this very folder.
    if (resolve(folder, name, recorded.replace(/\n$/, '')) === wanted) return join(folder, name);
  }
  return null;
}

/** Git records real paths; the folder itself may be missing. */
async function realFolder(path: string): Promise<string> {
  const parent = await realpath(dirname(path)).catch(() => dirname(path));
  return join(parent, basename(path));
}

/** Puts the worktree's link to its repository back where an agent broke or replaced it. */
export async function repairGitFile(worktree: RunWorktree): Promise<void> {
  const { worktreePath, runId } = worktree.workspace;
  const path = join(worktreePath, '.git');
  const wanted = `gitdir: ${worktree.adminDir}\n`;
  switch (await kindOf(path)) {
    case 'other':
      if ((await readFileHere(path)) === wanted) return;
      break;
    case 'folder':
      await displace(worktreePath, runId, path);
      break;
    case 'link':
    case 'missing':
      break;
  }
  await rm(path, { force: true });
  await writeFile(path, wanted);
}

/** Makes the worktree's part of the git folder again where somebody took it away; the files are still there. */
export async function registerAgain(gitDir: string, workspace: RunWorkspace): Promise<void> {
  const { worktreePath, branchName } = workspace;
  const adminDir = join(gitDir, 'worktrees', basename(worktreePath));
  await mkdir(adminDir, { recursive: true });
  const files = {
    gitdir: join(await realFolder(worktreePath), '.git'),
    commondir: '../..',
    HEAD: `ref: ${ownBranchRef(branchName)}`,
  };
  for (const [name, text] of Object.entries(files))
    if ((await readFileHere(join(adminDir, name))) === null)
      await writeFile(join(adminDir, name), `${text}\n`);
}

/** For moments when no other process works in the worktree: a lock that is there then was left by a dead one. */
export async function clearStaleLocks(worktree: RunWorktree): Promise<void> {
  const { adminDir, gitDir, branchRef } = worktree;
  const locks = [
    join(adminDir, 'index.lock'),
    join(adminDir, 'HEAD.lock'),
    `${join(gitDir, branchRef)}.lock`,
  ];
  for (const path of locks) await rm(path, { force: true });
  await clearOwnRefLocks(gitDir, worktree.workspace.runId);
}

export async function clearInterruptedState(worktree: RunWorktree): Promise<void> {
  for (const name of INTERRUPTED_STATE) {
    await rm(join(worktree.adminDir, name), { recursive: true, force: true });
  }
}

export async function commitAt(git: Git, revision: string): Promise<string | null> {
  const argv = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`];
  const result = await git(argv, { answers: [1, 128] });
  return result.exitCode === 0 ? printedValue(result) : null;
}

export async function treeOf(git: Git, revision: string): Promise<string> {
  return printedValue(
    await git(['rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{tree}`]),
  );
}

/** An agent may have left HEAD on a branch without commits, or deleted the run's branch. */
export async function headCommit(worktree: RunWorktree): Promise<string> {
  const { git, branchRef, workspace } = worktree;
  return (await commitAt(git, 'HEAD')) ?? (await commitAt(git, branchRef)) ?? workspace.baseSha;
}

/**
 * Puts HEAD on the run's branch and the branch on `commit`. The index and the files stay as they are. Refs are
 * written without following them, as an agent could have made the branch a link to `main`, and only if the
 * branch is still at `current`.
 */
export async function pointBranch(
  worktree: RunWorktree,
  commit: string,
  current: string | null,
): Promise<void> {
  const { git, branchRef } = worktree;
  await git(['symbolic-ref', '-m', 'conductor: back to the branch of the run', 'HEAD', branchRef]);
  if (current === commit) return;
  await moveOwnRef(git, branchRef, commit, current ?? '');
}
