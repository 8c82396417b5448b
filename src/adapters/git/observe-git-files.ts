import { randomUUID } from 'node:crypto';
import { chmod, mkdir, rename, rm, rmdir, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { OutsideChange } from '../../contracts/surroundings.ts';
import type { DisplacedFile, Settled } from '../../ports/surroundings.ts';
import { kindOf } from './file-kind.ts';
import { createGit } from './git-command.ts';
import { type GitFile, type GitFiles, readGitFiles, unsettledWorktrees } from './git-files.ts';
import type { RunWorktree } from './run-worktree.ts';

/** What branches follow is written by everyday commands in any checkout. */
const EVERYDAY_KEY = /^branch\..+\.(?:merge|rebase|description|vscode-merge-base|gh-merge-base)$/s;
/** So is the remote they follow; one that is not known by name could be anywhere. */
const FOLLOWED_REMOTE = /^branch\..+\.(?:remote|pushremote)$/s;

/** How long git may take to make or to remove a worktree that another run has. */
const UNSETTLED_LOOKS = 100;
const UNSETTLED_LOOK_MS = 50;

/** Git's own files before a step. */
export interface GitFilesBefore {
  readonly files: GitFiles;
  /** Folders of worktrees that were not whole then; nobody knows what will become of them. */
  readonly unsettled: ReadonlySet<string>;
}

export async function readGitFilesBefore(gitDir: string): Promise<GitFilesBefore> {
  // What became whole between the two looks must not count as known, so the set comes first.
  const unsettled = await unsettledWorktrees(gitDir);
  return { files: await readGitFiles(gitDir), unsettled };
}

/** Compares with how things were and puts back what changed, unless something excuses all of it. */
export async function settleGitFiles(
  { gitDir, adminDir }: Pick<RunWorktree, 'gitDir' | 'adminDir'>,
  before: GitFilesBefore,
  allExcused: string | null,
): Promise<Omit<Settled, 'worktreeGone'>> {
  const own = relative(gitDir, adminDir);
  const after = await readWhenSettled(gitDir, before, own);
  const changes: OutsideChange[] = [];
  const displaced: DisplacedFile[] = [];
  for (const path of changedPaths(before, after, own)) {
    const [old, now] = [before.files.get(path), after.get(path)];
    const verb = old === undefined ? 'created' : now === undefined ? 'deleted' : 'changed';
    const excuse = allExcused ?? (await excuseOf(path, old, now));
    if (now !== undefined && excuse === null) displaced.push({ path, content: contentOf(now) });
    const putBack = excuse === null && (await putBackFile(join(gitDir, path), old));
    changes.push({ place: 'git_files', subject: `.git/${path}`, verb, excuse, putBack });
  }
  return { changes, displaced };
}

/** Another run may be ending or being cleaned up right now: then its worktree is soon gone as a whole. */
async function readWhenSettled(gitDir: string, before: GitFilesBefore, own: string): Promise<GitFiles> {
  for (let look = 1; look < UNSETTLED_LOOKS; look += 1) {
    const unsettled = [...(await unsettledWorktrees(gitDir))];
    const known = unsettled.filter((folder) => before.files.has(`${folder}/gitdir`));
    if (known.every((folder) => folder === own || before.unsettled.has(folder))) break;
    await delay(UNSETTLED_LOOK_MS);
  }
  return readGitFiles(gitDir);
}

/** What was made goes first, as it may stand in the place of a folder. */
function changedPaths({ files, unsettled }: GitFilesBefore, after: GitFiles, own: string): string[] {
  const isNew = (folder: string) => !files.has(`${folder}/gitdir`);
  const isGone = (folder: string) => !after.has(`${folder}/gitdir`) && !after.has(`${folder}/commondir`);
  // Other runs come and go: a worktree that is new or gone as a whole is nothing that was tampered with.
  const isOfOthers = (path: string) => {
    const folder = worktreeOf(path);
    if (folder === null || folder === own) return false;
    return unsettled.has(folder) || isNew(folder) || isGone(folder);
  };
  const made = [...after.keys()].filter((path) => !files.has(path));
  const others = [...files].flatMap(([path, old]) => {
    const now = after.get(path);
    return now !== undefined && isSame(old, now) ? [] : [path];
  });
  return [...made.sort(), ...others.sort()].filter((path) => !isOfOthers(path));
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
