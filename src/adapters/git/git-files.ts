import { lstat, readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { kindOf, readFileHere } from './file-kind.ts';

/** Files of the shared git folder that run programs, or say what git does and where it looks. */
const SHARED = ['config', 'config.worktree', 'hooks', 'info', 'objects/info/alternates'];
/** The same of one worktree. */
const OF_WORKTREE = ['config.worktree', 'commondir', 'gitdir'];
/** Written by every clean-up of git, and only read by those who fetch from plain files. */
const NOT_LOOKED_AT = /^(?:modules\/.+\/)?info\/refs$/;
/** What is larger is noticed and can't be put back. */
const CONTENT_LIMIT_BYTES = 4 * 1024 * 1024;
const FILES_LIMIT = 2000;
const DEPTH_LIMIT = 8;

export type GitFile =
  | { readonly kind: 'file'; readonly mode: number; readonly content: Buffer }
  | { readonly kind: 'link'; readonly target: string }
  | { readonly kind: 'large'; readonly stamp: string };

/** By path relative to the git folder. */
export type GitFiles = ReadonlyMap<string, GitFile>;

export async function readGitFiles(gitDir: string): Promise<GitFiles> {
  const found = new Map<string, GitFile>();
  for (const path of SHARED) await take(gitDir, path, found, 0);
  for (const name of await namesIn(join(gitDir, 'worktrees')))
    for (const file of OF_WORKTREE) await take(gitDir, `worktrees/${name}/${file}`, found, 0);
  for (const module of await modulesBelow(gitDir, 'modules', 0))
    for (const path of SHARED) await take(gitDir, `${module}/${path}`, found, 0);
  return found;
}

/** Other worktrees that git is just making or taking away: whoever looks meanwhile sees a part of their files. */
export async function unsettledWorktrees(gitDir: string): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for (const name of await namesIn(join(gitDir, 'worktrees'))) {
    const folder = `worktrees/${name}`;
    const textOf = (file: string) => readFileHere(join(gitDir, folder, file));
    const isWhole = (await textOf('gitdir')) && (await textOf('commondir'));
    if (!isWhole || (await textOf('locked'))?.trim() === 'initializing') found.add(folder);
  }
  return found;
}

/** The git folders of submodules, which may hold those of their own. */
async function modulesBelow(gitDir: string, folder: string, depth: number): Promise<string[]> {
  if (depth === DEPTH_LIMIT) return [];
  const found: string[] = [];
  for (const name of await namesIn(join(gitDir, folder))) {
    const path = `${folder}/${name}`;
    const isModule = (await kindOf(join(gitDir, path, 'HEAD'))) !== 'missing';
    if (isModule) found.push(path, ...(await modulesBelow(gitDir, `${path}/modules`, depth + 1)));
    else if ((await kindOf(join(gitDir, path))) === 'folder')
      found.push(...(await modulesBelow(gitDir, path, depth + 1)));
  }
  return found;
}

async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch((): string[] => []);
}

/** What is gone by the time it is read was not there. */
async function take(gitDir: string, path: string, found: Map<string, GitFile>, depth: number): Promise<void> {
  const absolute = join(gitDir, path);
  const stat = await lstat(absolute).catch(() => null);
  if (stat === null || found.size >= FILES_LIMIT || NOT_LOOKED_AT.test(path)) return;
  if (stat.isDirectory()) {
    if (depth === DEPTH_LIMIT) return;
    for (const name of await namesIn(absolute)) await take(gitDir, `${path}/${name}`, found, depth + 1);
    return;
  }
  if (stat.isSymbolicLink()) {
    const target = await readlink(absolute).catch(() => null);
    if (target !== null) found.set(path, { kind: 'link', target });
  } else if (!stat.isFile() || stat.size > CONTENT_LIMIT_BYTES)
    found.set(path, { kind: 'large', stamp: `${stat.size} ${stat.mtimeMs} ${stat.mode}` });
  else {
    const content = await readFile(absolute).catch(() => null);
    if (content !== null) found.set(path, { kind: 'file', mode: stat.mode & 0o777, content });
  }
}
