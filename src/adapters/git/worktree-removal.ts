import { readdir, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ListedWorktree, Removal, WorktreeState } from '../../ports/upkeep.ts';
import type { RunWorkspace } from '../../ports/workspace.ts';
import { kindOf } from './file-kind.ts';
import { type Git, GitError } from './git-command.ts';
import { displacedFolders } from './harness-link.ts';
import { keepIgnored } from './ignored-keep.ts';
import { runIdOfPath } from './judged-checkout.ts';
import { findLeftovers } from './leftovers.ts';
import {
  commitAt,
  findAdminDir,
  headCommit,
  isItemBranch,
  openRunWorktree,
  ownBranchRef,
  type RunWorktree,
  treeOf,
} from './run-worktree.ts';
import { keepUnderNewRef, salvageRefOf } from './salvage-refs.ts';
import { salvage } from './snapshots.ts';
import { type Repository, removeWorktree } from './worktree-lifecycle.ts';
import { listCheckouts } from './worktree-list.ts';
import { takeTree } from './worktree-tree.ts';

/** What a worktree held that was not on its branch is kept under this name. */
const SALVAGE_NAME = 'worktree';
/** The branch itself, when nothing else leads to its commits. */
const BRANCH_SALVAGE_NAME = 'branch';
/** Taken when a run ends, on top of the commit that it ends with. */
const LAST_SNAPSHOT = 'end';
const RUN_BRANCHES = 'refs/heads/conductor/run/';

/** The worktrees of this repository that were made for runs. */
export async function listWorktrees(git: Git, worktreesDir: string): Promise<readonly ListedWorktree[]> {
  const found: ListedWorktree[] = [];
  for (const { path, branch } of await listCheckouts(git)) {
    if (dirname(path) !== worktreesDir && branch?.startsWith(RUN_BRANCHES) !== true) continue;
    found.push({
      runId: runIdOfPath(path),
      path,
      branchName: branch?.replace(/^refs\/heads\//, '') ?? null,
      present: (await kindOf(path)) === 'folder',
    });
  }
  return found;
}

export async function readWorktreeState(
  repository: Repository,
  workspace: RunWorkspace,
): Promise<WorktreeState> {
  const { worktreePath } = workspace;
  if ((await kindOf(worktreePath)) !== 'folder') return 'missing';
  if ((await findAdminDir(repository.gitDir, worktreePath)) === null) return 'missing';
  const worktree = await openRunWorktree(workspace, repository.gitDir, repository.signal);
  return (await compareWithBranch(worktree)).onBranch ? 'clean' : 'changed';
}

export async function removeRunWorktree(repository: Repository, workspace: RunWorkspace): Promise<Removal> {
  const { gitDir, git, signal } = repository;
  const { worktreePath } = workspace;
  const kind = await kindOf(worktreePath);
  const adminDir = await findAdminDir(gitDir, worktreePath);
  if (adminDir === null)
    return kind === 'missing'
      ? { ok: true, removed: false, salvageRef: null, notes: [] }
      : refused(`${worktreePath} is not a worktree of this repository`);
  const locked = await readFile(join(adminDir, 'locked'), 'utf8').catch(() => null);
  if (locked !== null) return refused(`${worktreePath} is locked${suffixed(locked)}`);
  if (kind === 'missing') return forgetWorktree(git, adminDir, workspace);
  if (kind !== 'folder') return refused(`${worktreePath} is not a folder`);
  const worktree = await openRunWorktree(workspace, gitDir, signal);
  const own = await findOwnRepositories(worktree);
  if (own.length > 0) return refused(`${worktreePath} holds repositories of its own: ${own.join(', ')}`);
  const { onBranch, ignored } = await compareWithBranch(worktree);
  const left = await keepIgnored(worktree, ignored);
  const kept = onBranch && left.files.size === 0 ? null : await salvage(worktree, SALVAGE_NAME);
  await removeWorktree(git, gitDir, worktreePath);
  return {
    ok: true,
    removed: true,
    salvageRef: kept?.salvageRef ?? null,
    notes: left.leftOut.map((path) => `too large to keep: ${Buffer.from(path, 'latin1').toString('utf8')}`),
  };
}

/** On the branch, nothing of the worktree would be missed but what git ignores. */
async function compareWithBranch(
  worktree: RunWorktree,
): Promise<{ readonly onBranch: boolean; readonly ignored: readonly string[] }> {
  const branch = await commitAt(worktree.git, worktree.branchRef);
  const head = await headCommit(worktree);
  const { tree, ignored } = await takeTree(worktree, head);
  return { onBranch: branch === head && tree === (await treeOf(worktree.git, head)), ignored };
}

/** Commits of a repository inside the worktree are in no object store of ours, so no salvage would keep them. */
async function findOwnRepositories(worktree: RunWorktree): Promise<string[]> {
  const { workspace, adminDir } = worktree;
  const { ignored } = await takeTree(worktree, await headCommit(worktree));
  const { repositories } = await findLeftovers(worktree, ignored);
  const submodules = await readdir(join(adminDir, 'modules')).catch((): string[] => []);
  const displaced = await displacedFolders(workspace.worktreePath, workspace.runId);
  const holding: string[] = [];
  for (const folder of displaced) {
    const content = join(folder, 'content');
    const isRepository =
      (await kindOf(join(content, 'HEAD'))) !== 'missing' ||
      (await kindOf(join(content, '.git'))) !== 'missing';
    if (isRepository) holding.push(content);
  }
  return [
    ...repositories.map((path) => Buffer.from(path, 'latin1').toString('utf8')),
    ...submodules,
    ...holding,
  ];
}

/** The folder is gone and its files with it; a commit that only its HEAD led to is not. */
async function forgetWorktree(git: Git, adminDir: string, workspace: RunWorkspace): Promise<Removal> {
  const head = await commitAt((argv, call) => git(argv, { ...call, env: { GIT_DIR: adminDir } }), 'HEAD');
  const branch = await commitAt(git, ownBranchRef(workspace.branchName));
  const salvageRef =
    head === null || head === branch
      ? null
      : await keepUnderNewRef(git, salvageRefOf(workspace.runId, SALVAGE_NAME), head);
  await rm(adminDir, { recursive: true, force: true });
  return { ok: true, removed: true, salvageRef, notes: [] };
}

/** Takes the branch and the snapshots of a run away. Its salvages stay, and so does the branch of a work item. */
export async function removeRunRefs(repository: Repository, workspace: RunWorkspace): Promise<Removal> {
  const { git, gitDir } = repository;
  const { runId, worktreePath } = workspace;
  const branchRef = ownBranchRef(workspace.branchName);
  if ((await findAdminDir(gitDir, worktreePath)) !== null)
    return refused(`${worktreePath} is still a worktree of this repository`);
  const branch = isItemBranch(workspace.branchName) ? null : await commitAt(git, branchRef);
  // Where somebody deleted the branch, or an item's is at later work, the last snapshot alone leads to what the run made.
  const work = branch ?? (await commitAt(git, `refs/conductor/${runId}/${LAST_SNAPSHOT}^1`));
  const lost = work !== null && !(await isHeldElsewhere(git, work));
  const salvageRef = lost ? await keepUnderNewRef(git, salvageRefOf(runId, BRANCH_SALVAGE_NAME), work) : null;
  if (branch !== null) await git(['update-ref', '--no-deref', '-d', branchRef, branch], { retryLocks: true });
  await deleteSnapshots(git, runId);
  return { ok: true, removed: true, salvageRef, notes: [] };
}

/** Whether a ref that no run owns, or a checkout, leads to the commit. */
async function isHeldElsewhere(git: Git, commit: string): Promise<boolean> {
  const others = ['--exclude=refs/conductor/*', `--exclude=${RUN_BRANCHES}*`, '--all'];
  const unheld = await git(['rev-list', '--max-count=1', commit, '--not', ...others]);
  return unheld.stdout.length === 0;
}

/** Values of refs and stashes that a step took lie beside the snapshots; they are kept, as nothing else leads to them. */
async function deleteSnapshots(git: Git, runId: string): Promise<void> {
  if (runId === '' || runId === 'salvage') throw new GitError([], null, `"${runId}" is not a run`);
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

function suffixed(reason: string): string {
  return reason.trim() === '' ? '' : `: ${reason.trim()}`;
}

function refused(reason: string): Removal {
  return { ok: false, reason };
}
