import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { checkOutTree } from '../files/check-out.ts';
import { ownTree } from '../files/own-objects.ts';
import { withScratch } from '../files/scratch.ts';
import { commitAt, writeTree } from '../git/commits.ts';
import { copyFileIfPresent, kindOf } from '../git/file-kind.ts';
import { createGit, type Git, GitError, printedValue } from '../git/git-command.ts';
import { type RunRepository, storeGit, type UserRepository } from './run-repository.ts';
import { writeCommit } from './store-objects.ts';

/**
 * A submodule that the user has checked out becomes plain files without a `.git` in a workspace: a run's result can't
 * contain changes to it, so the agent gets nothing to commit to. Other submodules are empty folders. Git does not look
 * into the folder of a submodule, so the store has an index for each one to detect changes.
 */
interface Submodule {
  /** Names the submodule's index. */
  readonly name: string;
  /** Relative to the checkout. */
  readonly path: string;
  /** The commit that the base names; null if the user has not checked it out. */
  readonly commit: string | null;
}

interface FoundSubmodule extends Omit<Submodule, 'name'> {
  /** The object folder that has the commit. */
  readonly objects: string | null;
}

const LIST = 'submodules.json';
const DEPTH_LIMIT = 8;

/** Finds the submodules of a commit, recursing into submodules that the user has checked out. */
export async function findSubmodules(
  { repoRoot, gitDir }: Pick<UserRepository, 'repoRoot' | 'gitDir'>,
  commit: string,
): Promise<readonly FoundSubmodule[]> {
  const traces = [join(repoRoot, '.gitmodules'), join(gitDir, 'modules')];
  const kinds = await Promise.all(traces.map((path) => kindOf(path)));
  // Most repositories have none; this saves them a git process.
  return kinds.every((kind) => kind === 'missing') ? [] : listSubmodules(repoRoot, commit, '', 0);
}

async function listSubmodules(
  root: string,
  commit: string,
  prefix: string,
  depth: number,
): Promise<FoundSubmodule[]> {
  if (depth === DEPTH_LIMIT) return [];
  const git = createGit({ cwd: root });
  const listed = await git(['ls-tree', '-r', '-z', '--full-tree', commit]);
  const found: FoundSubmodule[] = [];
  for (const record of listed.stdout.toString('utf8').split('\0')) {
    const [, id = '', path = ''] = /^160000 commit ([0-9a-f]+)\t(.+)$/s.exec(record) ?? [];
    if (path === '') continue;
    const objects = await findObjectFolder(join(root, path), id);
    found.push({ path: `${prefix}${path}`, commit: objects === null ? null : id, objects });
    if (objects !== null)
      found.push(...(await listSubmodules(join(root, path), id, `${prefix}${path}/`, depth + 1)));
  }
  return found;
}

/** The object folder of a submodule that is checked out and has the wanted commit. */
async function findObjectFolder(root: string, commit: string): Promise<string | null> {
  if ((await kindOf(join(root, '.git'))) === 'missing') return null;
  const git = createGit({ cwd: root });
  try {
    if ((await commitAt(git, commit)) === null) return null;
    return printedValue(await git(['rev-parse', '--path-format=absolute', '--git-path', 'objects']));
  } catch (error) {
    if (error instanceof GitError) return null;
    throw error;
  }
}

export async function writeSubmodules(
  storeDir: string,
  submodules: readonly Omit<Submodule, 'name'>[],
): Promise<void> {
  if (submodules.length === 0) return;
  const list = submodules.map(({ path, commit }, at) => ({ name: `submodule-${at + 1}`, path, commit }));
  await writeFile(join(storeDir, LIST), JSON.stringify(list));
}

async function readSubmodules(storeDir: string): Promise<readonly Submodule[]> {
  const text = await readFile(join(storeDir, LIST), 'utf8').catch(() => '[]');
  return JSON.parse(text) as Submodule[];
}

/** Checks out the submodules in a new checkout. */
export async function checkOutSubmodules(repository: RunRepository, checkout: string): Promise<void> {
  for (const submodule of await readSubmodules(repository.storeDir))
    await checkOutSubmodule(repository, checkout, submodule);
}

/** Resets the submodules of a used checkout to their commits and removes all other files in them. */
export async function resetSubmodules(repository: RunRepository, checkout: string): Promise<void> {
  for (const submodule of await readSubmodules(repository.storeDir)) {
    const git = await checkOutSubmodule(repository, checkout, submodule);
    await git(['clean', '-ffdxq', ...(await excludeNested(repository, submodule))]);
  }
}

async function checkOutSubmodule(
  repository: RunRepository,
  checkout: string,
  submodule: Submodule,
): Promise<Git> {
  const root = join(checkout, submodule.path);
  if ((await kindOf(root)) !== 'folder') await rm(root, { force: true });
  await mkdir(root, { recursive: true });
  const git = gitOf(repository, checkout, submodule);
  const { storeDir } = repository;
  if (submodule.commit !== null) await checkOutTree({ git, root, storeDir }, submodule.commit);
  return git;
}

/** Submodules whose files in the work checkout differ from the commit that the base names. */
export async function changedSubmodules(repository: RunRepository): Promise<readonly Submodule[]> {
  const changed: Submodule[] = [];
  for (const submodule of await readSubmodules(repository.storeDir))
    if (await isChanged(repository, submodule)) changed.push(submodule);
  return changed;
}

interface KeptSubmodule {
  readonly path: string;
  readonly commit: string;
}

/** Stores the changed files of submodules; each commit has that submodule's files as they are now. */
export async function keepSubmodules(repository: RunRepository): Promise<readonly KeptSubmodule[]> {
  const { checkoutPath } = repository.workspace;
  const kept: KeptSubmodule[] = [];
  for (const submodule of await changedSubmodules(repository)) {
    const { path, commit } = submodule;
    if ((await kindOf(join(checkoutPath, path))) !== 'folder') continue;
    const git = gitOf(repository, checkoutPath, submodule);
    const tree = await withScratch(repository, async (scratch) => {
      // Work on a copy: the index itself must stay at the commit, because changes are detected against it.
      const env = { GIT_INDEX_FILE: join(scratch, 'index') };
      await copyFileIfPresent(indexOf(repository, checkoutPath, submodule), env.GIT_INDEX_FILE);
      await git(['add', '-A', '--', '.', ...(await excludeNestedPathspecs(repository, submodule))], { env });
      return writeTree(git, env);
    });
    await ownTree(repository, tree, commit ?? undefined);
    const message = `conductor salvage of submodule ${path}\n`;
    const parents = commit === null ? [] : [commit];
    kept.push({ path, commit: await writeCommit(repository, { tree, parents, message, undated: true }) });
  }
  return kept;
}

/** Restores the submodules that are changed. Files in them that git ignores stay. */
export async function restoreSubmodules(repository: RunRepository): Promise<void> {
  const { checkoutPath } = repository.workspace;
  for (const submodule of await changedSubmodules(repository)) {
    const git = await checkOutSubmodule(repository, checkoutPath, submodule);
    await git(['clean', '-ffdq', ...(await excludeNested(repository, submodule))]);
  }
}

async function isChanged(repository: RunRepository, submodule: Submodule): Promise<boolean> {
  const { checkoutPath } = repository.workspace;
  if ((await kindOf(join(checkoutPath, submodule.path))) !== 'folder') return true;
  const argv = ['ls-files', '-z', '--modified', '--deleted', '--others', '--exclude-standard'];
  const paths = ['--', '.', ...(await excludeNestedPathspecs(repository, submodule))];
  return (await gitOf(repository, checkoutPath, submodule)([...argv, ...paths])).stdout.length > 0;
}

async function excludeNested(repository: RunRepository, submodule: Submodule): Promise<string[]> {
  return (await listNested(repository, submodule)).flatMap((path) => ['-e', `/${path}`]);
}

async function excludeNestedPathspecs(repository: RunRepository, submodule: Submodule): Promise<string[]> {
  return (await listNested(repository, submodule)).map((path) => `:(exclude,literal)${path}`);
}

/** The submodules of a submodule, relative to it. */
async function listNested({ storeDir }: RunRepository, { path }: Submodule): Promise<string[]> {
  const below = (await readSubmodules(storeDir)).filter((other) => other.path.startsWith(`${path}/`));
  return below.map((other) => other.path.slice(path.length + 1));
}

function gitOf(repository: RunRepository, checkout: string, submodule: Submodule): Git {
  const workTree = join(checkout, submodule.path);
  return storeGit(repository.workspace, { workTree, index: indexOf(repository, checkout, submodule) });
}

function indexOf({ storeDir }: RunRepository, checkout: string, { name }: Submodule): string {
  return join(storeDir, `${name}.${basename(checkout)}.index`);
}
