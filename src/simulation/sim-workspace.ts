import { ExpectedFailure } from '../contracts/expected-failure.ts';
import type { FileChange, WorkspaceDiff } from '../contracts/workspace-change.ts';
import type { Workspace } from '../ports/workspace.ts';
import type { Life } from './sim-life.ts';
import { digestOf } from './sim-log.ts';
import type { SimTree } from './sim-repo.ts';
import { SIM_ROOT, type SimWorld } from './sim-world.ts';

/** Asked before a snapshot or a restore: true makes it fail, as git does now and then. */
export type GitFails = (operation: 'snapshot' | 'restore', name: string) => boolean;

/** The worktree of the one run of a simulated world. */
export function createSimWorkspace(world: SimWorld, life: Life, fails: GitFails): Workspace {
  const { repo } = world;
  const current = (): SimTree => {
    if (repo.worktree === null) throw new ExpectedFailure('the worktree is gone');
    return repo.worktree;
  };
  const snapshot: Workspace['snapshot'] = async (workspace, name) => {
    await life.point('snapshot');
    if (fails('snapshot', name)) throw new ExpectedFailure('git could not take a snapshot');
    const tree = repo.keepTree(current());
    const commit = repo.commitTree(tree);
    repo.refs.set(`refs/conductor/${workspace.runId}/${name}`, commit);
    await life.point('snapshot:kept');
    return { commit, tree };
  };
  return {
    resolveBase: async () => ({
      ok: true,
      sha: repo.baseCommit,
      tree: repo.treeOfCommit(repo.baseCommit),
    }),
    hasFile: async () => true,
    describe: ({ runId, baseRef, baseSha, harnessDir, branch }) => ({
      runId,
      repoRoot: SIM_ROOT,
      worktreePath: `${SIM_ROOT}/worktrees/${runId}`,
      branchName: branch ?? `conductor/run/${runId}`,
      baseRef,
      baseSha,
      harnessDir,
    }),
    branchInTheWay: async () => null,
    branchHolder: async () => null,
    create: async () => {
      await life.point('worktree');
      repo.worktree = repo.treeById(repo.treeOfCommit(repo.baseCommit));
      await life.point('worktree:made');
    },
    reopen: async (_workspace, tree) => {
      await life.point('reopen');
      repo.worktree ??= repo.treeById(tree ?? repo.treeOfCommit(repo.baseCommit));
    },
    snapshot,
    fileInPlace: async (_workspace, tree, { path }) => {
      const content = repo.treeById(tree).get(path);
      if (content === undefined) return { kind: 'absent' };
      return { kind: 'file', sha256: digestOf(content), bytes: content.length };
    },
    overlay: async (workspace, base, name, files) => {
      await life.point('overlay');
      const tree = new Map(repo.treeById(repo.treeOfCommit(base)));
      for (const { path, source, sha256 } of files) {
        const content = world.disk.read(source) ?? '';
        if (digestOf(content) !== sha256) throw new ExpectedFailure(`${source} is another file`);
        tree.set(path, content);
      }
      const id = repo.keepTree(tree);
      const commit = repo.commitTree(id);
      repo.refs.set(`refs/conductor/${workspace.runId}/${name}`, commit);
      await life.point('overlay:kept');
      return { commit, tree: id };
    },
    diff: async (_workspace, from, to, patchPath) => {
      await life.point('diff');
      const diff = compare(repo.treeById(from), repo.treeById(to));
      if (patchPath !== undefined) world.disk.write(patchPath, patchOf(diff), false);
      return diff;
    },
    restore: async (workspace, target, salvageName) => {
      await life.point('restore');
      if (fails('restore', salvageName)) throw new ExpectedFailure('git could not restore the files');
      const commit = target.kind === 'base' ? repo.baseCommit : target.commit;
      const tree = repo.treeOfCommit(commit);
      const salvaged = repo.keepTree(current());
      const salvageRef = freeRef(repo.refs, `refs/conductor/salvage/${workspace.runId}/${salvageName}`);
      const before = { commit: repo.commitTree(salvaged), tree: salvaged };
      repo.refs.set(salvageRef, before.commit);
      await life.point('restore:salvaged');
      const [first, ...rest] = repo.treeById(tree);
      repo.worktree = new Map(first === undefined ? [] : [first]);
      await life.point('restore:half');
      repo.worktree = new Map(first === undefined ? rest : [first, ...rest]);
      await life.point('restore:done');
      return { salvageRef, before, after: { commit, tree } };
    },
    commit: async (workspace) => {
      await life.point('commit');
      const commit = repo.commitTree(repo.keepTree(current()));
      repo.refs.set(`refs/heads/${workspace.branchName}`, commit);
      await life.point('commit:done');
      return commit;
    },
    refs: async (workspace) => {
      await life.point('refs');
      const refs = [...repo.refs].filter(([name]) => !name.startsWith('refs/conductor/'));
      return { refs: Object.fromEntries(refs), head: `refs/heads/${workspace.branchName}`, headLogs: {} };
    },
    movedElsewhere: async () => [],
  };
}

/** A salvage is the last copy of something, so none ever replaces another. */
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
        insertions: linesOf(after),
        deletions: linesOf(before),
        oldMode: before === undefined ? '000000' : '100644',
        newMode: after === undefined ? '000000' : '100644',
        blob: after === undefined ? '0'.repeat(40) : digestOf(after).slice(0, 40),
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

function linesOf(content: string | undefined): number {
  return content === undefined ? 0 : content.split('\n').length - 1;
}

function patchOf(diff: WorkspaceDiff): string {
  return diff.files.map(({ status, path, blob }) => `${status} ${path} ${blob}\n`).join('');
}
