import { copyFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { matchesGlob } from '../../../policy/globs.ts';
import { hasErrorCode } from '../../../text/error-code.ts';
import { writeTree } from '../git/commits.ts';
import { type Git, GitError } from '../git/git-command.ts';
import { readOwnedPaths } from '../repository/layout.ts';
import type { RunRepository } from '../repository/run-repository.ts';
import { checkOutTree, markMissing } from './check-out.ts';
import { readStatus } from './file-status.ts';
import { RUN_FOLDER } from './harness-link.ts';
import { trackNestedRepositories } from './nested-repositories.ts';
import { checkSize } from './oversize.ts';
import { ownTree } from './own-objects.ts';
import { textOfPath } from './paths.ts';
import { withScratch } from './scratch.ts';
import { removeSpecialFiles } from './special-files.ts';
import { unlock } from './unlock.ts';

/** The files of the checkout as git objects. Paths are relative and in latin1. */
export interface TakenTree {
  readonly tree: string;
  /** Folders that contain a repository of their own. */
  readonly nested: readonly string[];
  /** Files, and folders with a slash at the end, that git ignores: they are not in the tree. */
  readonly ignored: readonly string[];
  /** Ignored files and folders that setup owns; they are not in `ignored`. */
  readonly owned: readonly string[];
}

/** What git ignored in each store's checkout when its tree was last taken. */
const ignoredByStore = new Map<string, readonly string[]>();

/** The tree that an index matched when this process last wrote it. */
interface IndexMemory {
  readonly stamp: string;
  readonly tree: string;
}
const memoryByIndex = new Map<string, IndexMemory>();

/**
 * Writes the files of the checkout, tracked and untracked, as a tree. The store's index decides which files are
 * tracked, never the checkout's own: an agent can mark files as unchanged in that one, or remove them. If nothing has
 * changed since the last time, this costs one git process.
 */
export async function takeTree(repository: RunRepository): Promise<TakenTree> {
  return withScratchIndex(repository, async (git, known) => {
    const found = await takeAndOwnTree(git, repository, known).catch((error: unknown) => {
      if (!(error instanceof GitError) || error.exitCode === null) throw error;
      return retakeTree(git, repository);
    });
    const taken = await separateSetupPaths(repository, found);
    ignoredByStore.set(repository.storeDir, taken.ignored);
    // Don't cache a tree with nested repositories: they have to be searched for each time.
    return { value: taken, tree: taken.nested.length === 0 ? taken.tree : null };
  });
}

type FoundTree = Omit<TakenTree, 'owned'>;

async function takeAndOwnTree(git: Git, repository: RunRepository, known: string | null): Promise<FoundTree> {
  const changed = known === null ? null : await takeChanges(git, repository, known);
  const found = changed ?? (await takeAll(git, repository));
  await ownTree(repository, found.tree);
  return found;
}

/**
 * Retries after a failure: a pipe may have replaced a file, a file may be unreadable, or the user may have pruned an
 * object that `git add` had just found in the user's repository.
 */
async function retakeTree(git: Git, repository: RunRepository): Promise<FoundTree> {
  const { checkoutPath } = repository.workspace;
  await removeSpecialFiles(checkoutPath);
  await unlock(checkoutPath);
  return takeAndOwnTree(git, repository, null);
}

async function separateSetupPaths(repository: RunRepository, found: FoundTree): Promise<TakenTree> {
  const patterns = await readOwnedPaths(repository.storeDir);
  const isOwned = (path: string) =>
    patterns.some((pattern) => matchesGlob(pattern, textOfPath(path).replace(/\/$/, '')));
  if (patterns.length === 0) return { ...found, owned: [] };
  return {
    ...found,
    ignored: found.ignored.filter((path) => !isOwned(path)),
    owned: found.ignored.filter(isOwned),
  };
}

/** What git ignored when the tree was last taken, without what setup owns. */
export async function lastIgnored(repository: RunRepository): Promise<readonly string[]> {
  return ignoredByStore.get(repository.storeDir) ?? (await takeTree(repository)).ignored;
}

/** Starts from the last tree, so the cost grows with the number of changes. Null if that could miss a change. */
async function takeChanges(git: Git, repository: RunRepository, tree: string): Promise<FoundTree | null> {
  const { touched, gone, ignored, odd } = await readStatus(git);
  if (odd || [...touched, ...gone].some((path) => /(?:^|\/)\.gitignore$/.test(path))) return null;
  if (touched.length + gone.length === 0) return { tree, nested: [], ignored };
  await checkSize(repository, touched);
  const removals = gone.map((path) => `0 ${'0'.repeat(tree.length)}\t${path}\0`).join('');
  // Deletions first: a link may have replaced a folder, and git refuses paths behind a link.
  if (gone.length > 0)
    await git(['update-index', '-z', '--index-info'], { stdin: Buffer.from(removals, 'latin1') });
  if (touched.length > 0) {
    const additions = Buffer.from(touched.map((path) => `${path}\0`).join(''), 'latin1');
    await git(['update-index', '-z', '--add', '--remove', '--replace', '--stdin'], { stdin: additions });
  }
  return { tree: await writeTree(git), nested: [], ignored };
}

/** Starts from the files of the base: a file that only an earlier snapshot contains may be ignored by now. */
async function takeAll(git: Git, repository: RunRepository): Promise<FoundTree> {
  const { workspace, storeDir } = repository;
  await git(['read-tree', '--reset', workspace.baseSha]);
  await markMissing({ git, root: workspace.checkoutPath, storeDir }, workspace.baseSha);
  const nested = await trackNestedRepositories(git);
  await checkSize(repository, (await readStatus(git)).touched);
  await git(['add', '-A', '--', '.']);
  await git(['reset', '-q', workspace.baseSha, '--', RUN_FOLDER]);
  const tree = await writeTree(git);
  const { ignored } = await readStatus(git);
  return { tree, nested, ignored };
}

/**
 * Sets the files of the checkout to those of `tree`. Run `takeTree` first: git replaces only files that are in the
 * index.
 */
export async function putTree(repository: RunRepository, tree: string): Promise<void> {
  const { storeDir, workspace } = repository;
  await withScratchIndex(repository, async (git) => {
    await checkOutTree({ git, root: workspace.checkoutPath, storeDir }, tree);
    // Cache no tree: the next `takeTree` has to check that the files match.
    return { value: null, tree: null };
  });
}

/** Records the tree that the checkout has just been filled with. */
export async function rememberTree({ storeDir }: RunRepository, tree: string): Promise<void> {
  await remember(join(storeDir, 'index'), tree);
}

/**
 * Writes the checkout's index for `head`, with the stat data of the checkout's files, so that `git status` is fast and
 * right.
 */
export async function writeIndex(repository: RunRepository, head: string): Promise<void> {
  const { git, storeDir, gitDir } = repository;
  const index = join(gitDir, 'index');
  await rm(index, { recursive: true, force: true });
  await copyIndex(join(storeDir, 'index'), index);
  await git(['read-tree', '--reset', head], { env: { GIT_INDEX_FILE: index } });
}

/** As `writeIndex`, for a new checkout, whose files are those of the base. */
export async function copyBaseIndex({ storeDir, gitDir }: RunRepository): Promise<void> {
  await copyIndex(join(storeDir, 'index'), join(gitDir, 'index'));
}

async function withScratchIndex<T>(
  repository: RunRepository,
  work: (git: Git, known: string | null) => Promise<{ value: T; tree: string | null }>,
): Promise<T> {
  return withScratch(repository, async (scratch) => {
    const own = join(repository.storeDir, 'index');
    const index = join(scratch, 'index');
    const known = memoryByIndex.get(own);
    const isKnown = known !== undefined && known.stamp === (await stampOf(own));
    await copyIndex(own, index);
    const git: Git = (argv, call) =>
      repository.git(argv, { ...call, env: { ...call?.env, GIT_INDEX_FILE: index } });
    const { value, tree } = await work(git, isKnown ? known.tree : null);
    await rename(index, own);
    await remember(own, tree);
    return value;
  });
}

async function remember(index: string, tree: string | null): Promise<void> {
  const stamp = await stampOf(index);
  if (tree === null || stamp === null) memoryByIndex.delete(index);
  else memoryByIndex.set(index, { stamp, tree });
}

/** Changes whenever the file is written; null if the file is missing. */
async function stampOf(path: string): Promise<string | null> {
  const found = await stat(path, { bigint: true }).catch(() => null);
  return found === null ? null : `${found.ino} ${found.size} ${found.mtimeNs} ${found.ctimeNs}`;
}

async function copyIndex(from: string, to: string): Promise<void> {
  try {
    const { mtimeMs } = await stat(from);
    await copyFile(from, to);
    // Git trusts a file's stat only if it is older than the index. A copy that looks younger than it is would hide a
    // change of equal size within the same second.
    const writtenAt = Math.floor(mtimeMs / 1000);
    await utimes(to, writtenAt, writtenAt);
  } catch (error) {
    if (!hasErrorCode(error, 'ENOENT')) throw error;
  }
}
