import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import type { WorkspaceDiff } from '../../../contracts/run/workspace-change.ts';
import { writeTree } from '../git/commits.ts';
import { createGit, type Git, GitError, type GitResult } from '../git/git-command.ts';
import { isPartialStore } from '../repository/layout.ts';
import { findMissing } from './check-out.ts';
import { TRACKED_PATHSPEC } from './harness-link.ts';
import { parseDiffRaw } from './parse-diff-raw.ts';

const OBJECT_NAME = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;
const RENAME_CANDIDATES = 1000;

const COMPARE = [
  'diff-tree',
  '-r',
  '-M',
  `-l${RENAME_CANDIDATES}`,
  '--no-ext-diff',
  '--no-textconv',
  '-z',
  '--raw',
  '--numstat',
  '--no-abbrev',
];
const TEXT_PATCH = ['-p', '--full-index', '--no-color', '--src-prefix=a/', '--dst-prefix=b/'];
const PATCH = ['--binary', ...TEXT_PATCH];
/** Larger files are treated as binary if the full patch would be too large. */
const LARGE_FILES = ['-c', 'core.bigFileThreshold=5m'];

export interface TreeDiffRequest {
  /** The run that the patch is for; null if it is not for a run. */
  readonly runId: string | null;
  readonly gitDir: string;
  readonly fromTree: string;
  readonly toTree: string;
  readonly patchPath: string | undefined;
  /** Encodes every file as binary, so that the patch is plain ASCII. */
  readonly asBytes?: boolean;
  readonly signal: AbortSignal | undefined;
}

/** Number of cached comparisons: an evaluation reuses the one of its agent step. */
const REMEMBERED = 16;
const REMEMBERED_PATCH_BYTES = 1024 * 1024;

export interface RunDiffRequest extends TreeDiffRequest {
  /** An agent step needs its own change and that of the run, so one git process compares `toTree` with both. */
  readonly baseTree: string | null;
}

/**
 * As `diffTrees`, with a cache: trees never change. Every comparison also creates the patch, because the end of a run
 * needs the patch of the trees that its last step compared.
 */
export function createDiffMemory(): (request: RunDiffRequest) => Promise<WorkspaceDiff> {
  const known = new Map<string, ComparedTrees>();
  const remember = (key: string, compared: ComparedTrees) => {
    const isSmall = compared.patch !== null && compared.patch.length <= REMEMBERED_PATCH_BYTES;
    known.set(key, isSmall ? compared : { ...compared, patch: null });
    const [oldest] = known.keys();
    if (known.size > REMEMBERED && oldest !== undefined) known.delete(oldest);
  };
  return async (request) => {
    const { fromTree, toTree, baseTree, patchPath } = request;
    const key = `${fromTree} ${toTree}`;
    const found = known.get(key);
    const isEnough = found !== undefined && (patchPath === undefined || found.patch !== null);
    const needsBase =
      baseTree !== null && ![fromTree, toTree].includes(baseTree) && !known.has(`${baseTree} ${toTree}`);
    const both = needsBase && !isEnough ? await compareWithBase(request, baseTree) : null;
    if (both !== null) remember(`${baseTree} ${toTree}`, both.base);
    const compared = both?.step ?? (isEnough ? found : await compareTrees(request, [...COMPARE, ...PATCH]));
    remember(key, compared);
    if (patchPath !== undefined) await writePatch(patchPath, compared.patch ?? Buffer.alloc(0));
    return compared.diff;
  };
}

/** Compares both pairs of trees with one git process. Null if git fails: in a partial clone, objects may be missing. */
async function compareWithBase(
  request: RunDiffRequest,
  baseTree: string,
): Promise<{ readonly step: ComparedTrees; readonly base: ComparedTrees } | null> {
  const { fromTree, toTree } = request;
  const headers = [`${fromTree} ${toTree}\n`, `${baseTree} ${toTree}\n`] as const;
  return withoutAttributes(request, async (git) => {
    const argv = [...COMPARE, ...PATCH, '--stdin', ...TRACKED_PATHSPEC];
    const { exitCode, stdout } = await git(argv, { stdin: headers.join(''), answers: [128] });
    if (exitCode !== 0) return null;
    // Search from the end: no file of the base or of the new tree can contain the id of its own tree, so the last match
    // is the header.
    const second = stdout.lastIndexOf(headers[1]);
    return {
      step: parseDiffRaw(stdout.subarray(headers[0].length, second)),
      base: parseDiffRaw(stdout.subarray(second + headers[1].length)),
    };
  });
}

interface ComparedTrees {
  readonly diff: WorkspaceDiff;
  /** Null if it is too large to remember. */
  readonly patch: Buffer | null;
}

/** Compares two trees. One git process lists the changes and prints the patch. */
export async function diffTrees(request: TreeDiffRequest): Promise<WorkspaceDiff> {
  const options = request.patchPath === undefined ? COMPARE : [...COMPARE, ...PATCH];
  const { diff, patch } = await compareTrees(request, options);
  if (request.patchPath !== undefined) await writePatch(request.patchPath, patch ?? Buffer.alloc(0));
  return diff;
}

async function compareTrees(request: TreeDiffRequest, options: readonly string[]): Promise<ComparedTrees> {
  const { fromTree, toTree } = request;
  if (fromTree === toTree)
    return { diff: { files: [], insertions: 0, deletions: 0 }, patch: Buffer.alloc(0) };
  // A record that conductor didn't write could pass an option to git here.
  for (const tree of [fromTree, toTree])
    if (!OBJECT_NAME.test(tree)) throw new GitError([], null, `"${tree}" is not the name of a tree`);
  return withoutAttributes(request, async (git) => {
    const compare = (from: string, to: string) => compareWithin(git, options, from, to, request.signal);
    const { stdout } = await compare(fromTree, toTree).catch(async (error: unknown) => {
      if (!(error instanceof GitError) || !(await isPartialStore(request.gitDir))) throw error;
      return compare(await withoutMissing(git, fromTree), await withoutMissing(git, toTree));
    });
    return parseDiffRaw(stdout);
  });
}

/**
 * If the patch is too large for git or for conductor, retries without the contents of large files, and then without the
 * patch.
 */
async function compareWithin(
  git: Git,
  options: readonly string[],
  from: string,
  to: string,
  signal: AbortSignal | undefined,
): Promise<GitResult> {
  const smaller = options.includes('-p') ? [[...LARGE_FILES, ...COMPARE, ...TEXT_PATCH]] : [];
  const forms = [options, ...smaller, [...LARGE_FILES, ...COMPARE]];
  for (const [at, form] of forms.entries()) {
    try {
      return await git([...form, from, to, ...TRACKED_PATHSPEC]);
    } catch (error) {
      const isTooLarge =
        error instanceof GitError && (error.exitCode === null || /out of memory/i.test(error.detail));
      if (!isTooLarge || signal?.aborted === true || at === forms.length - 1) throw error;
    }
  }
  throw new Error('a list of forms is never empty');
}

/**
 * Removes the missing files of a partial clone from a tree. A missing file that the agent created then counts as added.
 */
async function withoutMissing(git: Git, tree: string): Promise<string> {
  const missing = await findMissing(git, tree);
  const records = missing.map(({ blob, path }) => `0 ${'0'.repeat(blob.length)}\t${path}\0`).join('');
  await git(['read-tree', tree]);
  await git(['update-index', '-z', '--index-info'], { stdin: Buffer.from(records, 'latin1') });
  return writeTree(git);
}

/** Never writes to an existing file: an agent could have put a link or a pipe in its place. */
async function writePatch(path: string, patch: Buffer): Promise<void> {
  const target = resolve(path);
  await mkdir(dirname(target), { recursive: true });
  await rm(target, { recursive: true, force: true });
  await writeFile(target, patch, { flag: 'wx' });
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
    // A comparison without a patch writes nothing for the run, so resuming the run need not wait for this git process.
    const run = request.patchPath === undefined || request.runId === null ? {} : { runId: request.runId };
    return await work(createGit({ cwd: scratch, env, signal: request.signal, ...run }));
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
