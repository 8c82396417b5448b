import { posix } from 'node:path';
import { gitMarkOf } from '../../contracts/run/process-mark.ts';
import type { BaseResolution, RunWorkspace, Workspace } from '../../ports/workspace/workspace.ts';
import { inspectFile, overlaySnapshot } from './files/overlay.ts';
import { restoreSnapshot, takeSnapshot } from './files/snapshots.ts';
import { removeSpecialFiles } from './files/special-files.ts';
import { openTemporaryFolder, removeTemporaryFolder } from './files/temporary-folder.ts';
import { createDiffMemory } from './files/tree-diff.ts';
import { commitAt, rememberTreeOf } from './git/commits.ts';
import { type Git, printedValue } from './git/git-command.ts';
import { readObjects } from './git/read-objects.ts';
import { openJudgeCheckout } from './judge-checkout.ts';
import { createWorkspace, describeWorkspace, isComplete, reopenWorkspace } from './repository/create.ts';
import { locateObjects } from './repository/locate-objects.ts';
import {
  describeRepository,
  openRunRepository,
  type RunRepository,
  type SnapshotBounds,
  type UserRepository,
  userGit,
} from './repository/run-repository.ts';
import { publishResult } from './result/publish.ts';

/** Larger files are not read: no manifest or configuration is that large. */
const LIMIT_BYTES = 2 * 1024 * 1024;
/** Number of remembered texts. */
const REMEMBERED = 2_048;

type ReadTexts = (
  git: Git,
  treeish: string,
  paths: readonly string[],
) => Promise<ReadonlyMap<string, string | null>>;

/**
 * Reads the text of files in a tree or commit; null if a file is missing or too large. Both are named by object ids, so each file
 * is read once.
 */
function createTextReader(): ReadTexts {
  const known = new Map<string, string | null>();
  return async (git, treeish, paths) => {
    const nameOf = (path: string) => `${treeish}:${path}`;
    const unknown = paths.map(nameOf).filter((name) => !known.has(name));
    const read = await readObjects(git, unknown, LIMIT_BYTES);
    if (known.size > REMEMBERED) known.clear();
    for (const [at, name] of unknown.entries()) {
      const object = read[at];
      known.set(name, object?.kind === 'blob' ? object.content.toString('utf8') : null);
    }
    return new Map(paths.map((path) => [path, known.get(nameOf(path)) ?? null]));
  };
}

export interface GitWorkspaceDeps extends UserRepository {
  /** Paths that setup owns, relative to a checkout. */
  readonly ownedPaths: readonly string[];
  /** What a snapshot may add to the last one. Default: `SNAPSHOT_BOUNDS`. */
  readonly bounds?: SnapshotBounds;
  /** Waits until all git processes with this mark whose conductor is dead have exited. */
  readonly awaitOrphans?: (mark: string) => Promise<void>;
}

/**
 * Gives each run a private repository that borrows the objects of the user's repository. Uses the `git` on the path.
 */
export function createGitWorkspace(deps: GitWorkspaceDeps): Workspace {
  const { signal, ownedPaths } = deps;
  const git = userGit(deps);
  const texts = createTextReader();
  const diffs = createDiffMemory();
  const open = (workspace: RunWorkspace): Promise<RunRepository> =>
    openRunRepository(workspace, signal, deps.bounds);
  return {
    resolveBase: (baseRef) => resolveBase(git, baseRef),
    hasFile: async (commit, path) => {
      // Not `cat-file`: in a partial clone it would fetch the file.
      const argv = ['ls-tree', '--full-tree', commit, '--', posix.normalize(path)];
      const listed = await git(argv, { env: { GIT_LITERAL_PATHSPECS: '1' }, answers: [128] });
      return listed.stdout.length > 0;
    },
    readFiles: (workspace, treeish, paths) =>
      texts(describeRepository(workspace, signal).git, treeish, paths),
    describe: (request) => describeWorkspace(deps, request),
    conflictingBranch: (workspace) => findConflictingBranch(git, workspace.branchName),
    create: (workspace) => createWorkspace(deps, workspace, { ownedPaths }),
    isVisible: (workspace) => isComplete(describeRepository(workspace, signal)),
    reopen: async (workspace, tree) => {
      // A git process that a killed conductor started may still write to the workspace.
      await deps.awaitOrphans?.(gitMarkOf(workspace.runId));
      await removeSpecialFiles(workspace.checkoutPath);
      return reopenWorkspace(deps, workspace, tree, { ownedPaths });
    },
    snapshot: async (workspace, name) => takeSnapshot(await open(workspace), name),
    fileInPlace: async (workspace, tree, file) => inspectFile(await open(workspace), tree, file),
    overlay: async (workspace, base, name, files) =>
      overlaySnapshot(await open(workspace), base, name, files),
    restore: async (workspace, target, salvageName) =>
      restoreSnapshot(deps, await open(workspace), target, salvageName),
    diff: async (workspace, fromTree, toTree, patchPath) => {
      const { gitDir, baseTree } = await locateObjects(deps, workspace);
      return diffs({ runId: workspace.runId, gitDir, baseTree, fromTree, toTree, patchPath, signal });
    },
    openJudge: (workspace, request) => openJudgeCheckout({ signal, diff: diffs }, workspace, request),
    openTemporary: openTemporaryFolder,
    removeTemporary: async ({ checkoutPath, judgePath }) => {
      await removeTemporaryFolder(checkoutPath);
      await removeTemporaryFolder(judgePath);
    },
    publish: (workspace, result) => publishResult(deps, workspace, result),
  };
}

async function resolveBase(git: Git, baseRef: string): Promise<BaseResolution> {
  // A ref can't start with a dash, and git would parse it as an option.
  if (!baseRef.startsWith('-')) {
    const names = [`${baseRef}^{commit}`, `${baseRef}^{tree}`];
    const found = await git(['rev-parse', ...names], { answers: [128] });
    const [sha = '', tree = ''] = printedValue(found).split('\n');
    if (found.exitCode === 0 && tree !== '') {
      rememberTreeOf(sha, tree);
      return { ok: true, sha, tree };
    }
  }
  const unborn = (await commitAt(git, 'HEAD')) === null;
  const anyRef = await git(['for-each-ref', '--count=1']);
  const empty = unborn && (baseRef === 'HEAD' || anyRef.stdout.length === 0);
  return { ok: false, reason: empty ? 'no_commits' : 'unknown_ref' };
}

/** The branches `a` and `a/b` can't both exist: git stores refs as files and folders. */
async function findConflictingBranch(git: Git, branchName: string): Promise<string | null> {
  const parts = branchName.split('/');
  const names = parts.slice(1).map((_, at) => `refs/heads/${parts.slice(0, at + 1).join('/')}`);
  const listed = await git(['for-each-ref', '--format=%(refname)', ...names]);
  const existing = listed.stdout.toString('utf8').split('\n');
  return names.find((name) => existing.includes(name))?.slice('refs/heads/'.length) ?? null;
}
