import { copyFile, mkdir, mkdtemp, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode } from './file-kind.ts';
import { type Git, GitError, printedValue } from './git-command.ts';
import { RUN_FOLDER, TRACKED_PATHSPEC } from './harness-link.ts';
import { type IndexMemory, recallIndex, rememberIndex } from './index-memory.ts';
import { unlockFolders } from './locked-folders.ts';
import { trackNestedRepositories } from './nested-repositories.ts';
import { headCommit, type RunWorktree, treeOf } from './run-worktree.ts';
import { addAroundLinks, hasStuffedLink, readLinks } from './submodule-links.ts';
import { findUnstorable, forgetUnstorable } from './unstorable-files.ts';
import { readStatus } from './worktree-status.ts';

/** The worktree as git objects. Paths are relative, in latin1 so that no byte is lost. */
export interface TakenTree {
  readonly tree: string;
  /** The commit that says what is tracked. */
  readonly head: string;
  /** Folders that hold a repository of their own. */
  readonly nested: readonly string[];
  /** Files, and folders with a slash at the end, that git ignores: they are not in the tree. */
  readonly ignored: readonly string[];
}

interface FoundTree extends TakenTree {
  /** Whether the index that it was taken with can be started from the next time. */
  readonly isPlain: boolean;
}

/**
 * Writes the worktree's files, tracked and untracked, as a tree. What counts as tracked comes from `head`
 * and never from the worktree's own index: an agent can mark files there as unchanged, or take them out. Null stands
 * for where HEAD is.
 */
export async function takeTree(
  worktree: RunWorktree,
  wantedHead: string | null,
  alsoTracked: string | null = null,
): Promise<TakenTree> {
  return withScratchIndex(worktree, async (git, known) => {
    const usable =
      known !== null &&
      alsoTracked === null &&
      (wantedHead ?? known.head) === known.head &&
      !(await hasStuffedLink(git, worktree, known.head));
    const quick = usable ? await takeChanges(git, worktree, known, wantedHead) : null;
    const taken = quick ?? (await takeAll(git, worktree, wantedHead, alsoTracked));
    return { value: taken, memory: taken.isPlain ? { head: taken.head, tree: taken.tree } : null };
  });
}

/** From the tree of last time, at a cost that grows with what changed since. Null when that does not tell it all. */
async function takeChanges(
  git: Git,
  worktree: RunWorktree,
  { tree, head }: IndexMemory,
  wantedHead: string | null,
): Promise<FoundTree | null> {
  const { touched: differing, gone: missing, ignored, odd, head: current } = await readStatus(git);
  if (wantedHead === null && current !== head) return null;
  if (odd || [...differing, ...missing].some((path) => /(?:^|\/)\.gitignore$/.test(path))) return null;
  if (differing.length + missing.length === 0) return { tree, head, nested: [], ignored, isPlain: true };
  const unstorable = await findUnstorable(worktree, differing);
  const touched = differing.filter((path) => !unstorable.includes(path));
  const gone = [...missing, ...unstorable];
  const removals = gone.map((path) => `0 ${'0'.repeat(tree.length)}\t${path}\0`).join('');
  // What is gone goes first: a link may stand where its folder was, and nothing is looked up behind a link.
  if (gone.length > 0)
    await git(['update-index', '-z', '--index-info'], { stdin: Buffer.from(removals, 'latin1') });
  const additions = touched.map((path) => `${path}\0`).join('');
  await git(['update-index', '-z', '--add', '--remove', '--replace', '--stdin'], {
    stdin: Buffer.from(additions, 'latin1'),
  });
  return { tree: printedValue(await git(['write-tree'])), head, nested: [], ignored, isPlain: true };
}

async function takeAll(
  git: Git,
  worktree: RunWorktree,
  wantedHead: string | null,
  alsoTracked: string | null,
): Promise<FoundTree> {
  const head = wantedHead ?? (await headCommit(worktree));
  await git(['read-tree', '--reset', head]);
  if (alsoTracked !== null) await trackPathsOf(git, head, alsoTracked);
  const nested = await trackNestedRepositories(git);
  const links = await readLinks(git, worktree);
  await addAroundLinks(git, links).catch(async (error: unknown) => {
    if (!(error instanceof GitError) || !(await forgetUnstorable(git, worktree))) throw error;
    await addAroundLinks(git, links);
  });
  await git(['reset', '-q', head, '--', RUN_FOLDER]);
  const tree = printedValue(await git(['write-tree']));
  const { ignored } = await readStatus(git);
  // Repositories in folders have to be looked for each time, and files that only this tree tracks are no rule.
  const isPlain = nested.length === 0 && links.stuffed.length === 0 && alsoTracked === null;
  return { tree, head, nested, ignored, isPlain };
}

/** Makes the worktree's files those of `tree`, given that `takeTree` has just seen what is there now. */
export async function putTree(worktree: RunWorktree, tree: string): Promise<void> {
  await withScratchIndex(worktree, async (git) => {
    const put = () => git(['read-tree', '--reset', '-u', tree]);
    await put().catch(async (error: unknown) => {
      if (!(error instanceof GitError) || error.exitCode === null) throw error;
      await unlockFolders(worktree.workspace.worktreePath);
      await put();
    });
    // Whether the files are now what the tree says is for `takeTree` to find out by itself.
    return { value: null, memory: null };
  });
}

/** Makes the worktree's own index that of `head`, so that `git status` there tells the truth. */
export async function resetIndex(worktree: RunWorktree, head: string): Promise<void> {
  await withScratch(worktree, async (scratch) => {
    const index = join(scratch, 'index');
    const env = { GIT_INDEX_FILE: index };
    await copyIndex(ourIndex(worktree), index);
    await worktree.git(['read-tree', '--reset', head], { env });
    await worktree.git(['update-index', '-q', '--refresh'], { env, answers: [1] });
    await rename(index, join(worktree.adminDir, 'index'));
  });
}

/** Starts our index from the worktree's, while that is still as git made it at `head`. */
export async function adoptIndex(worktree: RunWorktree, head: string): Promise<void> {
  await mkdir(join(worktree.adminDir, 'conductor'), { recursive: true });
  await copyIndex(join(worktree.adminDir, 'index'), ourIndex(worktree));
  await rememberIndex(ourIndex(worktree), { head, tree: await treeOf(worktree.git, head) });
}

/**
 * Files that git ignores now but that the tree to come holds would be overwritten by it, so the salvage
 * has to see them too.
 */
async function trackPathsOf(git: Git, head: string, tree: string): Promise<void> {
  const argv = ['diff-tree', '-r', '-z', '--raw', '--no-abbrev', '--no-renames', '--diff-filter=A'];
  const added = await git([...argv, head, tree, ...TRACKED_PATHSPEC]);
  const records = added.stdout
    .toString('latin1')
    .replace(/:\d{6} (\d{6}) [0-9a-f]+ ([0-9a-f]+) A\0([^\0]+)\0/g, '$1 $2 0\t$3\0');
  if (records === '') return;
  await git(['update-index', '-z', '--index-info'], { stdin: Buffer.from(records, 'latin1') });
}

/** The next tree is taken from the files alone. */
export async function forgetIndex(worktree: RunWorktree): Promise<void> {
  await rm(ourIndex(worktree), { force: true });
  await rememberIndex(ourIndex(worktree), null);
}

/** The index only we write. It keeps the stat cache from one snapshot to the next. */
export function ourIndex(worktree: RunWorktree): string {
  return join(worktree.adminDir, 'conductor', 'index');
}

async function withScratchIndex<T>(
  worktree: RunWorktree,
  work: (git: Git, known: IndexMemory | null) => Promise<{ value: T; memory: IndexMemory | null }>,
): Promise<T> {
  return withScratch(worktree, async (scratch) => {
    const own = ourIndex(worktree);
    const index = join(scratch, 'index');
    const recalled = await recallIndex(own);
    if (recalled !== 'forged') await copyIndex(own, index);
    const known = typeof recalled === 'string' ? null : recalled;
    const { value, memory } = await work(
      (argv, call) => worktree.git(argv, { ...call, env: { ...call?.env, GIT_INDEX_FILE: index } }),
      known,
    );
    await rename(index, own);
    await rememberIndex(own, memory);
    return value;
  });
}

/** Work happens on a copy, so a process that dies leaves neither a lock nor half an index behind. */
export async function withScratch<T>(
  worktree: RunWorktree,
  work: (scratch: string) => Promise<T>,
): Promise<T> {
  const folder = join(worktree.adminDir, 'conductor');
  await mkdir(folder, { recursive: true });
  const scratch = await mkdtemp(join(folder, `scratch-${process.pid}-`));
  try {
    return await work(scratch);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** Takes away the copies of processes that died at work. */
export async function clearDeadScratch(worktree: RunWorktree): Promise<void> {
  const folder = join(worktree.adminDir, 'conductor');
  for (const name of await readdir(folder).catch((): string[] => [])) {
    const pid = /^scratch-(\d+)-/.exec(name)?.[1];
    if (pid !== undefined && isGone(Number(pid)))
      await rm(join(folder, name), { recursive: true, force: true });
  }
}

function isGone(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return hasCode(error, 'ESRCH');
  }
}

async function copyIndex(from: string, to: string): Promise<void> {
  try {
    const { mtimeMs } = await stat(from);
    await copyFile(from, to);
    // Git trusts a file's stat only if it is older than the index. A copy that looks younger than it is
    // would hide a change of equal size within the same second.
    const writtenAt = Math.floor(mtimeMs / 1000);
    await utimes(to, writtenAt, writtenAt);
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
  }
}
