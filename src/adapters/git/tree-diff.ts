import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import type { WorkspaceDiff } from '../../contracts/workspace-change.ts';
import { createGit, type Git } from './git-command.ts';
import { TRACKED_PATHSPEC } from './harness-link.ts';
import { parseDiffRaw } from './parse-diff-raw.ts';

const RENAME_CANDIDATES = 1000;

const COMPARE = ['diff-tree', '-r', '-M', `-l${RENAME_CANDIDATES}`, '--no-ext-diff', '--no-textconv'];
const LIST = [...COMPARE, '-z', '--raw', '--numstat', '--no-abbrev'];
const PATCH = [
  ...COMPARE,
  '-p',
  '--binary',
  '--full-index',
  '--no-color',
  '--src-prefix=a/',
  '--dst-prefix=b/',
];

export interface TreeDiffRequest {
  /** The run that the patch is for, where it is for one. */
  readonly runId: string | null;
  readonly gitDir: string;
  readonly fromTree: string;
  readonly toTree: string;
  readonly patchPath: string | undefined;
  /** Gives every file of the patch as bytes, so that it is plain ASCII. */
  readonly asBytes?: boolean;
  readonly signal: AbortSignal | undefined;
}

export async function diffTrees(request: TreeDiffRequest): Promise<WorkspaceDiff> {
  const { fromTree, toTree } = request;
  return withoutAttributes(request, async (git) => {
    if (request.patchPath !== undefined) {
      const patchPath = resolve(request.patchPath);
      await mkdir(dirname(patchPath), { recursive: true });
      // Git would write through a link, and wait at a pipe, that an agent put there.
      await rm(patchPath, { recursive: true, force: true });
      await git([...PATCH, `--output=${patchPath}`, fromTree, toTree, ...TRACKED_PATHSPEC]);
    }
    const listed = await git([...LIST, fromTree, toTree, ...TRACKED_PATHSPEC]);
    return parseDiffRaw(listed.stdout.toString('utf8'));
  });
}

/**
 * Compares in an empty folder with an empty index, where git finds no `.gitattributes`: an agent could
 * otherwise declare its sources binary, and its changes would no longer be counted or readable.
 */
async function withoutAttributes<T>(request: TreeDiffRequest, work: (git: Git) => Promise<T>): Promise<T> {
  const scratch = await mkdtemp(join(tmpdir(), 'conductor-diff-'));
  const env = {
    GIT_DIR: request.gitDir,
    GIT_WORK_TREE: scratch,
    GIT_INDEX_FILE: join(scratch, 'index'),
  };
  try {
    if (request.asBytes === true) await writeFile(join(scratch, '.gitattributes'), '* -diff\n');
    // A comparison that writes no patch touches nothing of the run, so nobody has to wait for it.
    const run = request.patchPath === undefined || request.runId === null ? {} : { runId: request.runId };
    return await work(createGit({ cwd: scratch, env, signal: request.signal, ...run }));
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
