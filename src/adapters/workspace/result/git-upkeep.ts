import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { gitMarkOf } from '../../../contracts/run/process-mark.ts';
import type { ListedWorkspace, Salvage, Upkeep } from '../../../ports/upkeep.ts';
import type { RunWorkspace } from '../../../ports/workspace/workspace.ts';
import { diffTrees } from '../files/tree-diff.ts';
import { commitAt } from '../git/commits.ts';
import { kindOf } from '../git/file-kind.ts';
import { createGit, type Git, printedValue } from '../git/git-command.ts';
import { listCheckouts } from '../items/checkouts.ts';
import { adoptOrFindOwner } from '../repository/origin.ts';
import { openRunRepository, type UserRepository, userGit } from '../repository/run-repository.ts';
import { listStoreRefs } from '../repository/store-refs.ts';
import { isLinkedWorktree, removeLinkedWorktree } from './linked-worktrees.ts';
import { readWorkspaceState, removeRunRefs, removeWorkspace } from './removal.ts';
import { restoreAsBranch, restoreFiles, restoreRef } from './restore-salvage.ts';
import { parseSalvage, SALVAGE_ROOT } from './salvage-refs.ts';

export interface GitUpkeepDeps extends UserRepository {
  /** Where earlier versions kept linked worktrees. */
  readonly linkedWorktreesDir: string;
  /**
   * The workspaces that records name. Those from before the repository or `paths.workspaces` moved are in another
   * folder.
   */
  readonly recordedPaths?: () => Promise<readonly string[]>;
  readonly awaitOrphans?: (mark: string) => Promise<void>;
}

const FORMAT = '%(objectname) %(committerdate:iso-strict) %(refname)';

/** The part of upkeep that git does. */
export function createGitUpkeep(deps: GitUpkeepDeps): Omit<Upkeep, 'removeRecord' | 'sizeOf'> {
  const { signal } = deps;
  const git = userGit(deps);
  const storeOf = async (runId: string) =>
    join((await findRunFolders(deps)).get(runId) ?? join(deps.workspacesDir, runId), 'store');
  /** A git process that a killed conductor started may still work on the run. */
  const awaitOrphanedGit = ({ runId }: RunWorkspace) => deps.awaitOrphans?.(gitMarkOf(runId));
  return {
    listSalvages: async () => {
      const found = [...(await listSalvages(git, 'repository')), ...(await listStoredSalvages(deps))];
      return found.toSorted((one, other) => timeOf(one) - timeOf(other));
    },
    readSalvage: async (salvage) => {
      const { runId, commit, place } = salvage;
      const gitDir = place === 'workspace' ? await storeOf(runId) : deps.gitDir;
      const own = createGit({ cwd: deps.repoRoot, env: { GIT_DIR: gitDir }, signal });
      const fromTree = (await commitAt(own, `${commit}^1`)) ?? (await emptyTree(own));
      return diffTrees({ runId, gitDir, fromTree, toTree: commit, patchPath: undefined, signal });
    },
    listWorkspaces: () => listWorkspaces(deps, git),
    workspaceState: async (workspace) =>
      isLinkedWorktree(workspace) ? 'linked' : readWorkspaceState(deps, workspace),
    restoreFiles: async (workspace, salvage) => {
      await awaitOrphanedGit(workspace);
      await restoreFiles(await openRunRepository(workspace, signal), salvage);
    },
    restoreBranch: async (branchName, salvage) =>
      restoreAsBranch(git, branchName, salvage, await storeOf(salvage.runId)),
    restoreRef: (salvage) => restoreRef(git, salvage),
    removeWorkspace: async (workspace) => {
      await awaitOrphanedGit(workspace);
      return isLinkedWorktree(workspace)
        ? removeLinkedWorktree(deps, workspace)
        : removeWorkspace(deps, workspace);
    },
    removeRefs: async (workspace) => {
      await awaitOrphanedGit(workspace);
      return removeRunRefs(deps, workspace);
    },
  };
}

async function listSalvages(git: Git, place: Salvage['place']): Promise<Salvage[]> {
  const listed = await git(['for-each-ref', `--format=${FORMAT}`, SALVAGE_ROOT]);
  return listed.stdout
    .toString('utf8')
    .split('\n')
    .flatMap((line) => {
      const [, commit = '', date = '', ref = ''] = /^([0-9a-f]{40,64}) (\S*) (refs\/.+)$/.exec(line) ?? [];
      return parseSalvage(ref, commit, date === '' ? null : date, place) ?? [];
    });
}

/**
 * The folders of runs with a workspace, by run id. Excludes those that belong to another checkout, of which this one is
 * a copy.
 */
async function findRunFolders(deps: GitUpkeepDeps): Promise<ReadonlyMap<string, string>> {
  const names = await readdir(deps.workspacesDir).catch((): string[] => []);
  const recorded = ((await deps.recordedPaths?.()) ?? []).filter((path) => basename(path) === 'work');
  const folders = [
    ...names.filter((name) => !name.startsWith('.')).map((name) => join(deps.workspacesDir, name)),
    ...recorded.map((path) => dirname(path)),
  ];
  const byRun = new Map<string, string>();
  for (const folder of new Set(folders)) {
    const storeDir = join(folder, 'store');
    if ((await kindOf(storeDir)) !== 'folder') continue;
    const owner = await adoptOrFindOwner(deps, { folder, storeDir, gitDir: join(folder, 'work/.git') });
    if (owner === null) byRun.set(basename(folder), folder);
  }
  return byRun;
}

/** Salvages in the stores of runs. They stay in the store until the workspace is removed. */
async function listStoredSalvages(deps: GitUpkeepDeps): Promise<Salvage[]> {
  const found: Salvage[] = [];
  for (const folder of (await findRunFolders(deps)).values()) {
    const storeDir = join(folder, 'store');
    if ((await listStoreRefs(storeDir, SALVAGE_ROOT)).size === 0) continue;
    const git = createGit({ cwd: deps.repoRoot, env: { GIT_DIR: storeDir } });
    found.push(...(await listSalvages(git, 'workspace')));
  }
  return found;
}

/** Workspaces of this version, and linked worktrees of earlier ones. */
async function listWorkspaces(deps: GitUpkeepDeps, git: Git): Promise<readonly ListedWorkspace[]> {
  const found: ListedWorkspace[] = [];
  for (const [runId, folder] of await findRunFolders(deps)) {
    const path = join(folder, 'work');
    found.push({ runId, path, branchName: null, present: (await kindOf(path)) === 'folder', linked: false });
  }
  for (const { path, branch } of await listCheckouts(git)) {
    // The user may have checked out a run's branch in a linked worktree of their own.
    if (!path.startsWith(`${deps.linkedWorktreesDir}/`)) continue;
    const runId = (path.split('/').at(-1) ?? '').replace(/\.judge$/, '');
    const branchName = branch?.replace(/^refs\/heads\//, '') ?? null;
    found.push({ runId, path, branchName, present: (await kindOf(path)) === 'folder', linked: true });
  }
  return found;
}

async function emptyTree(git: Git): Promise<string> {
  return printedValue(await git(['hash-object', '-t', 'tree', '-w', '--stdin']));
}

function timeOf({ keptAt }: Salvage): number {
  return keptAt === null ? 0 : Date.parse(keptAt);
}
