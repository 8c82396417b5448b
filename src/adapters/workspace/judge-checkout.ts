import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { FileChange, WorkspaceDiff } from '../../contracts/run/workspace-change.ts';
import { matchesGlob } from '../../policy/globs.ts';
import type { JudgeCheckout, JudgeRequest, RunWorkspace } from '../../ports/workspace/workspace.ts';
import { checkOutTree } from './files/check-out.ts';
import { removeTree } from './files/deep-folders.ts';
import { ensureHarnessLink } from './files/harness-link.ts';
import { findLeftovers } from './files/leftovers.ts';
import { byPath } from './files/parse-diff-raw.ts';
import { pathBelow, textOfPath } from './files/paths.ts';
import { withScratch } from './files/scratch.ts';
import { removeSpecialFiles } from './files/special-files.ts';
import { removeTemporaryFolder } from './files/temporary-folder.ts';
import type { RunDiffRequest } from './files/tree-diff.ts';
import { withUnlocked } from './files/unlock.ts';
import { writeTree } from './git/commits.ts';
import { copyFileIfPresent, kindOf } from './git/file-kind.ts';
import type { Git } from './git/git-command.ts';
import { layOutCheckout, readBaseTree, readOwnedPaths } from './repository/layout.ts';
import {
  describeRepository,
  ownBranchRef,
  type RunRepository,
  storeGit,
} from './repository/run-repository.ts';
import { checkOutSubmodules, resetSubmodules } from './repository/submodules.ts';

export interface JudgeDeps {
  readonly signal: AbortSignal | undefined;
  readonly diff: (request: RunDiffRequest) => Promise<WorkspaceDiff>;
}

/**
 * Resets the judge checkout of a run to a tree: exactly the tree's files, plus the paths that setup owns. Its git
 * folder is recreated each time. HEAD is the commit of the snapshot, whose first parent is the base.
 */
export async function openJudgeCheckout(
  { signal, diff }: JudgeDeps,
  workspace: RunWorkspace,
  { snapshot, asAtBase }: JudgeRequest,
): Promise<JudgeCheckout> {
  const repository = describeRepository(workspace, signal);
  const { storeDir } = repository;
  const path = workspace.judgePath;
  const index = join(storeDir, 'judge.index');
  const git = storeGit(workspace, { workTree: path, index, signal });
  const isNew = await prepareFolder(repository, index);
  const baseTree = await readBaseTree(storeDir);
  const trees = { baseTree, fromTree: baseTree, toTree: snapshot.tree };
  const request = { runId: workspace.runId, gitDir: storeDir, ...trees };
  const { files } = await diff({ ...request, patchPath: undefined, signal });
  const changes = files.flatMap(splitRename).sort(byPath);
  const restored = changes.filter((change) => asAtBase(change.path));
  const tree = await restoreBasePaths(repository, snapshot.tree, restored);
  await checkOutTree({ git, root: path, storeDir }, tree);
  if (isNew) await checkOutSubmodules(repository, path);
  else await cleanCheckout(repository, git);
  await layOutCheckout(storeDir, join(path, '.git'));
  await pointHead(workspace, snapshot.commit);
  await copyFileIfPresent(index, join(path, '.git/index'));
  await ensureHarnessLink(repository, path);
  await removeTemporaryFolder(path);
  await writeFile(completeMarkPath(repository), '');
  return { path, changes, restored: restored.map((change) => change.path) };
}

/** Marker file. While it exists, the index matches the files of the judge checkout. */
function completeMarkPath({ storeDir }: RunRepository): string {
  return join(storeDir, 'judge-complete');
}

/** Returns true if the checkout is new, or was emptied because a process died while creating it. */
async function prepareFolder(repository: RunRepository, index: string): Promise<boolean> {
  const { judgePath } = repository.workspace;
  await rm(`${index}.lock`, { force: true });
  const isComplete = (await kindOf(completeMarkPath(repository))) !== 'missing';
  if (isComplete && (await kindOf(judgePath)) === 'folder') {
    await removeSpecialFiles(judgePath);
    return false;
  }
  await rm(completeMarkPath(repository), { force: true });
  await removeTree(judgePath);
  await rm(index, { force: true });
  await mkdir(judgePath, { recursive: true });
  return true;
}

/** Removes everything that earlier validators left, except the paths that setup owns. */
async function cleanCheckout(repository: RunRepository, git: Git): Promise<void> {
  const { storeDir, workspace } = repository;
  const { judgePath } = workspace;
  const owned = await readOwnedPaths(storeDir);
  const kept = owned.flatMap((path) => ['-e', `/${path}`]);
  await withUnlocked(judgePath, () => git(['clean', '-ffdxq', ...kept]));
  // `git clean` never looks at a `.git` in a folder with tracked files.
  const isOwned = (folder: string) => owned.some((glob) => matchesGlob(glob, textOfPath(folder)));
  for (const folder of (await findLeftovers(judgePath, isOwned)).repositories)
    await rm(pathBelow(judgePath, `${folder}/.git`), { recursive: true, force: true });
  await resetSubmodules(repository, judgePath);
}

async function pointHead({ judgePath, branchName }: RunWorkspace, commit: string): Promise<void> {
  const path = join(judgePath, '.git', ownBranchRef(branchName));
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, `${commit}\n`);
}

/** Splits a rename into a deletion and an addition, because both paths count. */
function splitRename(change: FileChange): FileChange[] {
  const { path, oldPath, status, oldMode, newMode, blob } = change;
  if (status !== 'R' || oldPath === null) return [{ ...change, oldPath: null }];
  const plain = { oldPath: null, insertions: change.insertions, deletions: change.deletions };
  return [
    { ...plain, path: oldPath, status: 'D', oldMode, newMode: '000000', blob: '0'.repeat(blob.length) },
    { ...plain, path, status: 'A', oldMode: '000000', newMode, blob },
  ];
}

/**
 * Restores paths of a tree from the base. They replace whatever is in their place, even a file in the place of a
 * folder.
 */
async function restoreBasePaths(
  repository: RunRepository,
  tree: string,
  restored: readonly FileChange[],
): Promise<string> {
  if (restored.length === 0) return tree;
  const { git, workspace } = repository;
  return withScratch(repository, async (scratch) => {
    const env = { GIT_INDEX_FILE: join(scratch, 'index') };
    const names = restored.map(({ path }) => path);
    const listed = await git(['ls-tree', '-r', '-z', '--full-tree', workspace.baseSha]);
    const wanted = new Set(names);
    const additions = listed.stdout
      .toString('utf8')
      .split('\0')
      .filter((record) => wanted.has(record.slice(record.indexOf('\t') + 1)))
      .map((record) => record.replace(/^(\d{6}) \w+ ([0-9a-f]+)\t/, '$1 $2 0\t'));
    const removals = names.map((path) => `0 ${'0'.repeat(tree.length)}\t${path}`);
    await git(['read-tree', tree], { env });
    const stdin = [...removals, ...additions].map((record) => `${record}\0`).join('');
    await git(['update-index', '-z', '--index-info'], { env, stdin });
    return writeTree(git, env);
  });
}
