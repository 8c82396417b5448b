import { chmod, lstat, mkdir, readdir, readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { RefState } from '../../../contracts/run/workspace-change.ts';
import { writeIndex } from '../files/file-tree.ts';
import { kindOf } from '../git/file-kind.ts';
import { parsePackedRefs } from '../git/ref-files.ts';
import { CONTROL_FILES, layOutCheckout, layOutControlFiles } from './layout.ts';
import { ownBranchRef, type RunRepository } from './run-repository.ts';

const REF_FILES = ['HEAD', 'packed-refs', 'refs'] as const;
/** State of an interrupted merge, rebase or similar operation. A restore removes it. */
const INTERRUPTED = [
  'MERGE_HEAD',
  'MERGE_MODE',
  'MERGE_MSG',
  'MERGE_AUTOSTASH',
  'AUTO_MERGE',
  'CHERRY_PICK_HEAD',
  'REVERT_HEAD',
  'SQUASH_MSG',
  'BISECT_LOG',
  'rebase-merge',
  'rebase-apply',
  'sequencer',
];
/** A git folder that exceeds these limits counts as unusable. */
const CONTENT_LIMIT_BYTES = 16 * 1024 * 1024;
const FILES_LIMIT = 20_000;

export type ControlFile =
  | { readonly kind: 'file'; readonly mode: number; readonly content: Buffer }
  | { readonly kind: 'link'; readonly target: string };

/** The control files and refs of the checkout's `.git`, by path relative to it. */
export type GitFolderState = ReadonlyMap<string, ControlFile>;

/** Null if the git folder is missing or unusable. */
export async function readGitFolder({ gitDir }: RunRepository): Promise<GitFolderState | null> {
  if ((await kindOf(gitDir)) !== 'folder') return null;
  const found = new Map<string, ControlFile>();
  for (const path of [...REF_FILES, ...CONTROL_FILES])
    if (!(await readBelow(gitDir, path, found))) return null;
  return found.get('HEAD')?.kind === 'file' ? found : null;
}

/**
 * Reads a file or folder into `found`. Returns false if there are too many files, if a file is too large, or if there
 * is anything other than files and links.
 */
async function readBelow(gitDir: string, path: string, found: Map<string, ControlFile>): Promise<boolean> {
  const absolute = join(gitDir, path);
  const stat = await lstat(absolute).catch(() => null);
  if (stat === null) return true;
  if (stat.isDirectory()) {
    const names = await readdir(absolute).catch((): string[] => []);
    for (const name of names) if (!(await readBelow(gitDir, `${path}/${name}`, found))) return false;
    return true;
  }
  if (found.size >= FILES_LIMIT || stat.size > CONTENT_LIMIT_BYTES) return false;
  if (stat.isSymbolicLink()) found.set(path, { kind: 'link', target: await readlink(absolute) });
  else if (stat.isFile())
    found.set(path, { kind: 'file', mode: stat.mode & 0o777, content: await readFile(absolute) });
  else return false;
  return true;
}

/** Refs and HEAD as the files have them, without starting git in a folder that an agent controls. */
export function refsIn(state: GitFolderState): RefState {
  const refs: Record<string, string> = {};
  for (const [name, id] of parsePackedRefs(textOf(state.get('packed-refs')))) refs[name] = id;
  for (const [path, file] of state) if (path.startsWith('refs/')) refs[path] = textOf(file).trim();
  const head = /^ref: (\S+)$/.exec(textOf(state.get('HEAD')).trim())?.[1] ?? null;
  return { refs, head };
}

/** The control files that differ. Ref files are excluded: callers compare the refs themselves. */
export function changedControlFiles(before: GitFolderState, after: GitFolderState): readonly string[] {
  const paths = [...new Set([...before.keys(), ...after.keys()])].sort();
  return paths.filter((path) => !isRefFile(path) && !isSame(before.get(path), after.get(path)));
}

function isRefFile(path: string): boolean {
  return path === 'HEAD' || path === 'packed-refs' || path.startsWith('refs/');
}

function isSame(one: ControlFile | undefined, other: ControlFile | undefined): boolean {
  if (one?.kind === 'file' && other?.kind === 'file')
    return one.mode === other.mode && one.content.equals(other.content);
  if (one?.kind === 'link' && other?.kind === 'link') return one.target === other.target;
  return one === other;
}

/** Restores a control file; deletes it if it did not exist before. */
export async function putControlFile(
  { gitDir }: RunRepository,
  path: string,
  file: ControlFile | undefined,
): Promise<void> {
  const target = join(gitDir, path);
  await rm(target, { recursive: true, force: true });
  if (file === undefined) return;
  await mkdir(dirname(target), { recursive: true });
  if (file.kind === 'link') await symlink(file.target, target);
  else {
    await writeFile(target, file.content);
    await chmod(target, file.mode);
  }
}

export function textOf(file: ControlFile | undefined): string {
  return file?.kind === 'file' ? file.content.toString('utf8') : '';
}

/** Resets the git folder of the checkout to its state at the start of the run. The agent's objects stay. */
export async function rewriteGitFolder(repository: RunRepository): Promise<void> {
  await layOutCheckout(repository.storeDir, repository.gitDir);
  await writeIndex(repository, repository.workspace.baseSha);
}

/** Resets the git folder of the checkout if it is missing or unusable. Returns its state. */
export async function ensureGitFolder(repository: RunRepository): Promise<GitFolderState> {
  const found = await readGitFolder(repository);
  if (found !== null) return found;
  await rewriteGitFolder(repository);
  return (await readGitFolder(repository)) ?? new Map();
}

/**
 * Restores the control files, points HEAD at the run's branch, resets the branch and the index to `head`, and aborts an
 * interrupted merge or rebase. Other refs stay.
 */
export async function restoreGitFolder(repository: RunRepository, head: string): Promise<void> {
  const { gitDir, storeDir, workspace } = repository;
  await ensureGitFolder(repository);
  await layOutControlFiles(storeDir, gitDir);
  const ref = ownBranchRef(workspace.branchName);
  for (const name of ['HEAD', ref, ...INTERRUPTED])
    await rm(join(gitDir, name), { recursive: true, force: true });
  await makeRealFolders(gitDir, dirname(ref));
  await writeFile(join(gitDir, ref), `${head}\n`);
  await writeFile(join(gitDir, 'HEAD'), `ref: ${ref}\n`);
  await writeIndex(repository, head);
}

/** Creates the folders of a path. Replaces any file or link that is in their place. */
async function makeRealFolders(top: string, path: string): Promise<void> {
  let folder = top;
  for (const part of path.split('/')) {
    folder = join(folder, part);
    const kind = await kindOf(folder);
    if (kind === 'folder') continue;
    await rm(folder, { force: true });
    await mkdir(folder);
  }
}
