import { randomUUID } from 'node:crypto';
import {
  chmod,
  lstat,
  mkdir,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  rmdir,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { OutsideChange } from '../../contracts/surroundings.ts';
import type { DisplacedFile, Settled } from '../../ports/surroundings.ts';
import { kindOf } from './file-kind.ts';
import { createGit } from './git-command.ts';

/** Files of the shared git folder that run programs, or say what git does and where it looks. */
const SHARED = ['config', 'config.worktree', 'hooks', 'info', 'objects/info/alternates'];
/** The same of one worktree. */
const OF_WORKTREE = ['config.worktree', 'commondir', 'gitdir'];
/** What is larger is noticed and can't be put back. */
const CONTENT_LIMIT_BYTES = 4 * 1024 * 1024;
const FILES_LIMIT = 2000;
const DEPTH_LIMIT = 8;

/** What branches follow is written by everyday commands in any checkout. */
const EVERYDAY_KEY = /^branch\..+\.(?:merge|rebase|description|vscode-merge-base|gh-merge-base)$/s;
/** So is the remote they follow; one that is not known by name could be anywhere. */
const FOLLOWED_REMOTE = /^branch\..+\.(?:remote|pushremote)$/s;

type GitFile =
  | { readonly kind: 'file'; readonly mode: number; readonly content: Buffer }
  | { readonly kind: 'link'; readonly target: string }
  | { readonly kind: 'large'; readonly stamp: string };

/** By path relative to the git folder. */
export type GitFiles = ReadonlyMap<string, GitFile>;

export async function readGitFiles(gitDir: string): Promise<GitFiles> {
  const found = new Map<string, GitFile>();
  for (const path of SHARED) await take(gitDir, path, found, 0);
  for (const name of await readdir(join(gitDir, 'worktrees')).catch((): string[] => []))
    for (const file of OF_WORKTREE) await take(gitDir, `worktrees/${name}/${file}`, found, 0);
  return found;
}

async function take(gitDir: string, path: string, found: Map<string, GitFile>, depth: number): Promise<void> {
  const absolute = join(gitDir, path);
  const stat = await lstat(absolute).catch(() => null);
  if (stat === null || found.size >= FILES_LIMIT) return;
  if (stat.isSymbolicLink()) found.set(path, { kind: 'link', target: await readlink(absolute) });
  else if (stat.isDirectory()) {
    if (depth === DEPTH_LIMIT) return;
    for (const name of await readdir(absolute)) await take(gitDir, `${path}/${name}`, found, depth + 1);
  } else if (!stat.isFile() || stat.size > CONTENT_LIMIT_BYTES)
    found.set(path, { kind: 'large', stamp: `${stat.size} ${stat.mtimeMs} ${stat.mode}` });
  else found.set(path, { kind: 'file', mode: stat.mode & 0o777, content: await readFile(absolute) });
}

/** Compares with how things were and puts back what changed, unless something excuses all of it. */
export async function settleGitFiles(
  gitDir: string,
  before: GitFiles,
  allExcused: string | null,
): Promise<Omit<Settled, 'worktreeGone'>> {
  const after = await readGitFiles(gitDir);
  const changes: OutsideChange[] = [];
  const displaced: DisplacedFile[] = [];
  for (const path of changedPaths(before, after)) {
    const [old, now] = [before.get(path), after.get(path)];
    const verb = old === undefined ? 'created' : now === undefined ? 'deleted' : 'changed';
    const excuse = allExcused ?? (await excuseOf(path, old, now));
    if (now !== undefined && excuse === null) displaced.push({ path, content: contentOf(now) });
    const putBack = excuse === null && (await putBackFile(join(gitDir, path), old));
    changes.push({ place: 'git_files', subject: `.git/${path}`, verb, excuse, putBack });
  }
  return { changes, displaced };
}

/** What was made goes first, as it may stand in the place of a folder. */
function changedPaths(before: GitFiles, after: GitFiles): string[] {
  const made = [...after.keys()].filter((path) => !before.has(path) && !isOfNewWorktree(path, before));
  const others = [...before].filter(([path, old]) => {
    const now = after.get(path);
    return now === undefined ? !isOfLostWorktree(path, after) : !isSame(old, now);
  });
  return [...made.sort(), ...others.map(([path]) => path).sort()];
}

/** Other runs come and go: a worktree that is new or gone as a whole is nothing that was tampered with. */
function isOfNewWorktree(path: string, before: GitFiles): boolean {
  const folder = worktreeOf(path);
  return folder !== null && !before.has(`${folder}/gitdir`);
}

function isOfLostWorktree(path: string, after: GitFiles): boolean {
  const folder = worktreeOf(path);
  return folder !== null && OF_WORKTREE.every((name) => !after.has(`${folder}/${name}`));
}

function worktreeOf(path: string): string | null {
  return path.startsWith('worktrees/') ? dirname(path) : null;
}

function isSame(one: GitFile, other: GitFile): boolean {
  if (one.kind === 'file' && other.kind === 'file')
    return one.mode === other.mode && one.content.equals(other.content);
  if (one.kind === 'link' && other.kind === 'link') return one.target === other.target;
  return one.kind === 'large' && other.kind === 'large' && one.stamp === other.stamp;
}

function contentOf(file: GitFile): Buffer {
  switch (file.kind) {
    case 'file':
      return file.content;
    case 'link':
      return Buffer.from(`a link to ${file.target}\n`);
    case 'large':
      return Buffer.from('too large to be kept\n');
  }
}

async function excuseOf(path: string, old?: GitFile, now?: GitFile): Promise<string | null> {
  if (path !== 'config' || old?.kind !== 'file' || now?.kind !== 'file' || old.mode !== now.mode) return null;
  const [before, after] = [await settingsOf(old.content), await settingsOf(now.content)];
  if (before === null || after === null) return null;
  const differing = [
    ...before.filter((one) => !after.includes(one)),
    ...after.filter((one) => !before.includes(one)),
  ];
  return differing.every((setting) => isEveryday(setting, before))
    ? 'only what branches follow is different'
    : null;
}

function isEveryday(setting: string, settings: readonly string[]): boolean {
  const at = setting.indexOf('\n');
  const [key, value] = [setting.slice(0, at), setting.slice(at + 1)];
  if (!FOLLOWED_REMOTE.test(key)) return EVERYDAY_KEY.test(key);
  return value === '.' || settings.some((other) => other.startsWith(`remote.${value}.url\n`));
}

/** Each as its key, a line feed and its value; null when git can't read it. */
async function settingsOf(config: Buffer): Promise<string[] | null> {
  const git = createGit({ cwd: tmpdir() });
  const listed = await git(['config', '--file', '-', '--list', '-z'], { stdin: config, answers: [1, 128] });
  return listed.exitCode === 0 ? listed.stdout.toString('utf8').split('\0') : null;
}

/** False when it could not be done; then the change stands, and is told as such. */
async function putBackFile(path: string, old: GitFile | undefined): Promise<boolean> {
  if (old?.kind === 'large') return false;
  try {
    if (old === undefined) await rm(path, { force: true });
    else await replace(path, old);
    return true;
  } catch {
    return false;
  }
}

async function replace(path: string, old: Exclude<GitFile, { kind: 'large' }>): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  if ((await kindOf(path)) === 'folder') await rmdir(path);
  const fresh = join(dirname(path), `.${basename(path)}.${randomUUID()}`);
  if (old.kind === 'link') await symlink(old.target, fresh);
  else {
    await writeFile(fresh, old.content, { flag: 'wx' });
    await chmod(fresh, old.mode);
  }
  await rename(fresh, path);
}
