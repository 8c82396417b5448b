import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Hub, SharedRun } from '../../../ports/hub.ts';
import type { Published, RunWorkspace, Workspace } from '../../../ports/workspace/workspace.ts';
import { commitAt, treeOf } from '../git/commits.ts';
import { createGit, type Git, GitError } from '../git/git-command.ts';
import { discardWorkspace } from '../repository/create.ts';
import {
  clearStaleLocks,
  describeRepository,
  ownBranchRef,
  storeDirOf,
  type UserRepository,
  userGit,
} from '../repository/run-repository.ts';
import { createHubGit, type HubGit } from './hub-git.ts';
import {
  findBranchLease,
  hubBaseOf,
  hubResultOf,
  hubRootOf,
  hubSalvagesOf,
  hubSnapshotOf,
} from './hub-refs.ts';

/** Where a store keeps the snapshots that it has from the hub. */
const STORED = 'refs/conductor/hub';
/** The name of the salvage of a checkout that is replaced by what another machine did since. */
const STALE = 'stale';

/** Shares the runs of a repository through another one, which all workers can reach. */
export function createHub(user: UserRepository, address: string): Hub {
  const git = userGit(user);
  const folderOf = (runId: string) => join(user.workspacesDir, runId);
  const hub = createHubGit(user, address, (runId) => join(folderOf(runId), 'store'));
  return {
    check: async () => void (await hub.list(['refs/conductor/*'])),
    offerBase: (runId, commit) => hub.create(runId, hubBaseOf(runId), commit),
    fetchBase: async (runId, commit) => {
      if ((await commitAt(git, commit)) === null) await hub.fetch([hubBaseOf(runId)]);
    },
    fetchRun: async (runId, branchName) => {
      const refs = await hub.list([`${hubRootOf(runId)}/*`, hubSalvagesOf(runId), ownBranchRef(branchName)]);
      const missing: string[] = [];
      // A branch or salvage that is here already stays as it is. Of snapshots, the objects are enough.
      for (const [name, id] of refs)
        if (name.startsWith(hubRootOf(runId))) missing.push(...((await hasCommit(git, id)) ? [] : [name]));
        else if ((await commitAt(git, name)) === null) missing.push(`${name}:${name}`);
      if (missing.length > 0) await hub.fetch(missing);
    },
    share: (workspace, run) => shareWorkspace(user, hub, workspace, run),
  };
}

function shareWorkspace(user: UserRepository, hub: HubGit, inner: Workspace, run: SharedRun): Workspace {
  const pushed = new Set<string>();
  let isCurrent = false;
  const offer = async ({ runId, baseSha }: RunWorkspace, commit: string): Promise<void> => {
    if (commit === baseSha || pushed.has(commit)) return;
    run.lease().expectHeld();
    await hub.create(runId, hubSnapshotOf(runId, commit), commit);
    pushed.add(commit);
  };
  return {
    ...inner,
    isVisible: async (workspace) =>
      (await inner.isVisible(workspace)) || (await hub.list([hubBaseOf(workspace.runId)])).size > 0,
    reopen: async (workspace, tree) => {
      const isHere = await inner.isVisible(workspace);
      if (!isHere) await recreate(user, inner, workspace);
      const reopened = isHere ? await inner.reopen(workspace, tree) : 'recreated';
      // Later calls only restore a checkout that was deleted while this worker drives the run.
      if (!isCurrent) await catchUp({ user, hub, inner, run }, workspace, tree, isHere);
      isCurrent = true;
      return reopened;
    },
    snapshot: async (workspace, name) => {
      const taken = await inner.snapshot(workspace, name);
      await offer(workspace, taken.commit);
      return taken;
    },
    overlay: async (workspace, base, name, files) => {
      const taken = await inner.overlay(workspace, base, name, files);
      await offer(workspace, taken.commit);
      return taken;
    },
    restore: async (workspace, target, salvageName) => {
      const restored = await inner.restore(workspace, target, salvageName);
      run.lease().expectHeld();
      await hub.create(workspace.runId, restored.salvageRef, restored.before.commit);
      await offer(workspace, restored.after.commit);
      return restored;
    },
    publish: async (workspace, result) => {
      const published = await inner.publish(workspace, result);
      run.lease().expectHeld();
      await publishToHub(hub, workspace, published);
      return published;
    },
  };
}

/** The branch moves only from where a worker of the same run has left it. */
async function publishToHub(
  hub: HubGit,
  { runId, branchName }: RunWorkspace,
  { commit, ref, leftAlone }: Published,
): Promise<void> {
  if (ref === null) return;
  const branchRef = ownBranchRef(branchName);
  if (leftAlone !== null) return hub.create(runId, leftAlone.salvageRef, commit);
  const refs = await hub.list([`${hubRootOf(runId)}/result/*`, branchRef]);
  const expected = findBranchLease(refs, runId, branchRef);
  await hub.create(runId, hubResultOf(runId, commit), commit);
  if (expected === null)
    throw new GitError([], null, `the branch ${branchName} of the hub was moved by another program`);
  if (refs.get(branchRef) !== commit) await hub.move(runId, branchRef, commit, expected);
}

async function recreate(user: UserRepository, inner: Workspace, workspace: RunWorkspace): Promise<void> {
  await clearStaleLocks(user, describeRepository(workspace, user.signal));
  await discardWorkspace(user, workspace);
  await inner.create(workspace);
}

interface CatchUp {
  readonly user: UserRepository;
  readonly hub: HubGit;
  readonly inner: Workspace;
  readonly run: SharedRun;
}

/**
 * Brings the workspace to the state that the record names, if another machine has worked on the run since: then the hub
 * has a snapshot that the store lacks.
 */
async function catchUp(
  { user, hub, inner, run }: CatchUp,
  workspace: RunWorkspace,
  tree: string | null,
  isHere: boolean,
): Promise<void> {
  const { runId, baseSha } = workspace;
  const storeDir = storeDirOf(workspace);
  const git = createGit({ cwd: user.repoRoot, env: { GIT_DIR: storeDir }, signal: user.signal, runId });
  const root = `${hubRootOf(runId)}/snapshot/`;
  const refs = await hub.list([`${root}*`, hubSalvagesOf(runId)]);
  const missing: string[] = [];
  for (const [name, id] of refs) {
    const own = name.startsWith(root) ? `${STORED}/${id}` : name;
    if (!(await hasCommit(git, id))) missing.push(`${name}:${own}`);
  }
  if (missing.length > 0) await hub.fetch(missing, storeDir);
  if (isHere && missing.length === 0) return;
  const commits = [...refs].flatMap(([name, id]) => (name.startsWith(root) ? [id] : []));
  const target = await findSnapshot(git, commits, { tree, recorded: run.snapshot() });
  if (target === null && tree !== null && tree !== (await treeOf(git, baseSha)))
    throw new GitError([], null, `the hub has no snapshot of run ${runId} with the recorded files ${tree}`);
  run.lease().expectHeld();
  const { salvageRef } = await inner.restore(
    workspace,
    target === null ? { kind: 'base' } : { kind: 'snapshot', commit: target },
    STALE,
  );
  // A workspace that was just created had nothing to salvage.
  if (!isHere) await rm(join(storeDir, salvageRef), { force: true });
}

async function hasCommit(git: Git, id: string): Promise<boolean> {
  return (await git(['cat-file', '-e', `${id}^{commit}`], { answers: [1, 128] })).exitCode === 0;
}

/** The snapshot that the run is at: the recorded one, or the last one with the recorded files. */
async function findSnapshot(
  git: Git,
  commits: readonly string[],
  { tree, recorded }: { readonly tree: string | null; readonly recorded: string | null },
): Promise<string | null> {
  if (tree === null || commits.length === 0) return null;
  const listed = await git(['log', '--no-walk=sorted', '--format=%H %T', ...commits]);
  const matching = listed.stdout
    .toString('utf8')
    .split('\n')
    .flatMap((line) => (line.endsWith(` ${tree}`) ? (line.split(' ')[0] ?? []) : []));
  if (recorded !== null && matching.includes(recorded)) return recorded;
  return matching[0] ?? null;
}
