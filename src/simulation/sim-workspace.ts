import { ExpectedFailure } from '../contracts/expected-failure.ts';
import type { FileChange, WorkspaceDiff } from '../contracts/run/workspace-change.ts';
import { sha256Hex } from '../node/sha256.ts';
import type {
  Published,
  RunResult,
  RunWorkspace,
  Snapshot,
  Workspace,
} from '../ports/workspace/workspace.ts';
import type { Life } from './sim-life.ts';
import type { SimRepo, SimTree } from './sim-repo.ts';
import { SIM_ROOT, type SimWorld } from './sim-world.ts';

/** The result commit for the run's branch, in the store before it is fetched. */
const RESULT_REF = 'refs/conductor/result';

/** Called before a snapshot or a restore: true makes it fail, as git sometimes does. */
export type GitFails = (operation: 'snapshot' | 'restore', name: string) => boolean;

/** The workspace of the run in a simulated world. */
export function createSimWorkspace(world: SimWorld, life: Life, fails: GitFails): Workspace {
  const { repo } = world;
  const baseTree = () => repo.treeOf(repo.baseCommit);
  const current = (): SimTree => {
    if (repo.checkout === null) throw new ExpectedFailure('the workspace is missing');
    return repo.checkout;
  };
  /** A snapshot is a commit in the store. */
  const storeSnapshot = (name: string, tree: string): Snapshot => {
    const commit = repo.makeCommit({ tree, parent: repo.baseCommit, message: `snapshot ${name}\n` });
    repo.storeRefs.set(`refs/conductor/snapshot/${name}`, commit);
    return { commit, tree };
  };
  const create = async ({ runId }: RunWorkspace) => {
    await life.point('workspace');
    repo.userRefs.set(`refs/conductor/base/${runId}`, repo.baseCommit);
    await life.point('workspace:base');
    repo.checkout = repo.treeById(baseTree());
    await life.point('workspace:files');
    repo.isComplete = true;
    await life.point('workspace:made');
  };
  return {
    resolveBase: async () => ({ ok: true, sha: repo.baseCommit, tree: baseTree() }),
    hasFile: async (commit, path) => repo.treeById(repo.treeOf(commit)).has(path),
    describe: ({ runId, baseRef, baseSha, harnessDir, branch }) => ({
      runId,
      repoRoot: SIM_ROOT,
      checkoutPath: `${SIM_ROOT}/workspaces/${runId}/work`,
      judgePath: `${SIM_ROOT}/workspaces/${runId}/judge`,
      branchName: branch ?? `conductor/run/${runId}`,
      baseRef,
      baseSha,
      harnessDir,
    }),
    readFiles: async (_workspace, treeish, paths) => {
      const tree = repo.treeById(repo.treeOf(treeish));
      return new Map(paths.map((path) => [path, tree.get(path) ?? null]));
    },
    conflictingBranch: async () => null,
    create,
    isVisible: async () => repo.isComplete,
    reopen: async (workspace, tree) => {
      await life.point('reopen');
      if (repo.isComplete) {
        repo.checkout ??= repo.treeById(tree ?? baseTree());
        return 'kept';
      }
      if (tree !== null && tree !== baseTree())
        throw new ExpectedFailure(
          `the workspace ${workspace.checkoutPath} isn't visible from this machine or container`,
        );
      await create(workspace);
      return 'recreated';
    },
    snapshot: async (_workspace, name) => {
      await life.point('snapshot');
      if (fails('snapshot', name)) throw new ExpectedFailure('git could not take a snapshot');
      const taken = storeSnapshot(name, repo.keepTree(current()));
      await life.point('snapshot:kept');
      return taken;
    },
    fileInPlace: async (_workspace, tree, { path }) => {
      const content = repo.treeById(tree).get(path);
      if (content === undefined) return { kind: 'absent' };
      return { kind: 'file', sha256: sha256Hex(content), bytes: content.length };
    },
    overlay: async (_workspace, base, name, files) => {
      await life.point('overlay');
      const tree = new Map(repo.treeById(repo.treeOf(base)));
      for (const { path, source, sha256 } of files) {
        const content = world.disk.read(source) ?? '';
        if (sha256Hex(content) !== sha256) throw new ExpectedFailure(`${source} is another file`);
        tree.set(path, content);
      }
      const taken = storeSnapshot(name, repo.keepTree(tree));
      await life.point('overlay:kept');
      return taken;
    },
    diff: async (_workspace, from, to, patchPath) => {
      await life.point('diff');
      const diff = compare(repo.treeById(from), repo.treeById(to));
      if (patchPath !== undefined) world.disk.write(patchPath, formatPatch(diff), false);
      return diff;
    },
    restore: async (workspace, target, salvageName) => {
      await life.point('restore');
      if (fails('restore', salvageName)) throw new ExpectedFailure('git could not restore the files');
      const commit = target.kind === 'base' ? repo.baseCommit : target.commit;
      const tree = repo.treeOf(commit);
      const salvaged = repo.keepTree(current());
      const salvageRef = freeRef(repo.storeRefs, `refs/conductor/salvage/${workspace.runId}.${salvageName}`);
      const message = `salvage ${salvageName}\n`;
      const before = {
        commit: repo.makeCommit({ tree: salvaged, parent: repo.baseCommit, message }),
        tree: salvaged,
      };
      repo.storeRefs.set(salvageRef, before.commit);
      await life.point('restore:salvaged');
      repo.checkout = halfOf(repo.treeById(tree));
      await life.point('restore:half');
      repo.checkout = repo.treeById(tree);
      await life.point('restore:done');
      return { salvageRef, before, after: { commit, tree } };
    },
    openJudge: async (workspace, { snapshot, asAtBase }) => {
      await life.point('judge');
      const base = repo.treeById(baseTree());
      const { files: changes } = compare(base, repo.treeById(snapshot.tree));
      const restored = changes.map(({ path }) => path).filter(asAtBase);
      const files = withBasePaths(repo.treeById(snapshot.tree), base, restored);
      repo.judge = { files: halfOf(files), snapshot: null };
      await life.point('judge:half');
      repo.judge = { files, snapshot: snapshot.tree };
      await life.point('judge:done');
      return { path: workspace.judgePath, changes, restored };
    },
    openTemporary: async (checkout) => `${checkout}-tmp`,
    removeTemporary: async () => {},
    publish: (workspace, result) => publishSim(repo, life, workspace, result),
  };
}

/** A partial checkout, as a crash may leave it. */
function halfOf(tree: SimTree): SimTree {
  return new Map([...tree].slice(0, 1));
}

function withBasePaths(tree: SimTree, base: SimTree, paths: readonly string[]): SimTree {
  const files = new Map(tree);
  for (const path of paths) {
    const content = base.get(path);
    if (content === undefined) files.delete(path);
    else files.set(path, content);
  }
  return files;
}

/** A salvage is the last copy of the files, so it never replaces another one. */
function freeRef(refs: ReadonlyMap<string, string>, wanted: string): string {
  let ref = wanted;
  for (let count = 2; refs.has(ref); count += 1) ref = `${wanted}-${count}`;
  return ref;
}

function compare(from: SimTree, to: SimTree): WorkspaceDiff {
  const paths = [...new Set([...from.keys(), ...to.keys()])].sort();
  const files = paths.flatMap((path): FileChange[] => {
    const before = from.get(path);
    const after = to.get(path);
    if (before === after) return [];
    const status = before === undefined ? 'A' : after === undefined ? 'D' : 'M';
    return [
      {
        path,
        oldPath: null,
        status,
        insertions: countLines(after),
        deletions: countLines(before),
        oldMode: before === undefined ? '000000' : '100644',
        newMode: after === undefined ? '000000' : '100644',
        blob: after === undefined ? '0'.repeat(40) : sha256Hex(after).slice(0, 40),
      },
    ];
  });
  const sum = (counts: readonly (number | null)[]) =>
    counts.reduce<number>((total, count) => total + (count ?? 0), 0);
  return {
    files,
    insertions: sum(files.map((file) => file.insertions)),
    deletions: sum(files.map((file) => file.deletions)),
  };
}

function countLines(content: string | undefined): number {
  return content === undefined ? 0 : content.split('\n').length - 1;
}

function formatPatch(diff: WorkspaceDiff): string {
  return diff.files.map(({ status, path, blob }) => `${status} ${path} ${blob}\n`).join('');
}

/**
 * Publishes the result to the user's repository in the same order as the real workspace, with a point after
 * each write.
 */
async function publishSim(
  repo: SimRepo,
  life: Life,
  { runId, branchName }: RunWorkspace,
  { tree, message }: RunResult,
): Promise<Published> {
  await life.point('publish');
  const earlier = repo.storeRefs.get(RESULT_REF) ?? null;
  const isChanged = tree !== repo.treeOf(repo.baseCommit);
  if (!isChanged && earlier === null) return { commit: repo.baseCommit, ref: null, leftAlone: null };
  const commit = isChanged ? resultCommit(repo, { tree, message }, earlier) : repo.baseCommit;
  const ref = `refs/heads/${branchName}`;
  const at = repo.userRefs.get(ref) ?? null;
  const isOurs = at === earlier || at === repo.branchLeftAt;
  // A process died before it could record where it left the branch. Otherwise, after a second such crash, the
  // branch would look as if a user had moved it.
  if (isOurs && at !== repo.branchLeftAt) {
    repo.branchLeftAt = at;
    await life.point('publish:recognised');
  }
  repo.storeRefs.set(RESULT_REF, commit);
  await life.point('publish:stored');
  if (isOurs) {
    repo.userRefs.set(ref, commit);
    await life.point('publish:fetched');
    repo.branchLeftAt = commit;
    await life.point('publish:remembered');
    return { commit, ref, leftAlone: null };
  }
  const salvageRef = `refs/conductor/salvage/${runId}`;
  repo.userRefs.set(salvageRef, commit);
  await life.point('publish:salvaged');
  const leftAlone = { branchName, reason: 'moved', at, checkout: null, detail: null, salvageRef } as const;
  return { commit, ref: salvageRef, leftAlone };
}

/** Returns the same commit for the same result after a crash. */
function resultCommit(repo: SimRepo, { tree, message }: RunResult, earlier: string | null): string {
  if (earlier !== null) {
    const known = repo.commitById(earlier);
    if (known.tree === tree && known.message === message) return earlier;
  }
  return repo.makeCommit({ tree, parent: repo.baseCommit, message });
}
