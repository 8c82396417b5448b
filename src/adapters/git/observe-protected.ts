import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Snapshot } from '../../ports/workspace.ts';
import { type Git, printedValue } from './git-command.ts';
import { type RunWorktree, treeOf } from './run-worktree.ts';
import { putTree, takeTree } from './worktree-tree.ts';

const PATHS_PER_CALL = 500;

/**
 * Puts some paths of the worktree back to the base, and returns what gives them their content of before again. Files
 * that were changed meanwhile at other paths stay as they are.
 */
export async function showBasePaths(
  worktree: RunWorktree,
  before: Snapshot,
  paths: readonly string[],
): Promise<() => Promise<void>> {
  if (paths.length === 0) return () => Promise.resolve();
  const base = await treeOf(worktree.git, worktree.workspace.baseSha);
  await putTree(worktree, await treeWith(worktree.git, before.tree, base, paths));
  return async () => {
    const { tree } = await takeTree(worktree, before.commit);
    await putTree(worktree, await treeWith(worktree.git, tree, before.tree, paths));
  };
}

/** The tree `whole` with what `source` has at some paths. */
async function treeWith(git: Git, whole: string, source: string, paths: readonly string[]): Promise<string> {
  const records = await entriesOf(git, source, paths);
  // What is taken away comes first, as a file can stand where a folder has to be.
  const removals = paths.map((path) => `0 ${'0'.repeat(40)}\t${path}`);
  const stdin = [...removals, ...records].map((record) => `${record}\0`).join('');
  const scratch = await mkdtemp(join(tmpdir(), 'conductor-tree-'));
  const env = { GIT_INDEX_FILE: join(scratch, 'index') };
  try {
    await git(['read-tree', whole], { env });
    await git(['update-index', '-z', '--index-info'], { env, stdin });
    return printedValue(await git(['write-tree'], { env }));
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** As `<mode> <type> <id>\t<path>`. */
async function entriesOf(git: Git, tree: string, paths: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (let at = 0; at < paths.length; at += PATHS_PER_CALL) {
    const argv = ['ls-tree', '-r', '-z', '--full-tree', tree, '--', ...paths.slice(at, at + PATHS_PER_CALL)];
    const listed = (await git(argv)).stdout.toString('utf8');
    found.push(...listed.split('\0').filter((line) => line !== ''));
  }
  return found;
}
