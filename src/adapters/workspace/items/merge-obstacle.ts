import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { kindOf, readFileHere } from '../git/file-kind.ts';
import type { Git } from '../git/git-command.ts';

/** Operations in progress, by the file or folder in the git folder that indicates them. */
const IN_PROGRESS: Readonly<Record<string, string>> = {
  MERGE_HEAD: 'a merge',
  CHERRY_PICK_HEAD: 'a cherry-pick',
  REVERT_HEAD: 'a revert',
  'rebase-merge': 'a rebase',
  'rebase-apply': 'a rebase',
  sequencer: 'a sequence of commits',
};
const FILES_SHOWN = 10;

interface MergeCheckout {
  readonly path: string;
  readonly adminDir: string;
  readonly git: Git;
}

interface Move {
  readonly ref: string;
  readonly from: string;
  readonly to: string;
}

interface Obstacle {
  readonly reason: string;
  readonly help: string;
}

/** Why the files of a checkout can't be updated with its branch; null if they can and nothing would be lost. */
export async function obstacleIn(checkout: MergeCheckout, move: Move): Promise<Obstacle | null> {
  const { path, adminDir } = checkout;
  const inProgress = Object.entries(IN_PROGRESS).find(([name]) => existsSync(join(adminDir, name)));
  if (inProgress !== undefined)
    return { reason: `${inProgress[1]} is in progress in ${path}`, help: 'finish or abort it' };
  if ((await kindOf(path)) !== 'folder')
    return {
      reason: `${path}, where the branch is checked out, is missing`,
      help: 'restore the folder, or make git forget it: git worktree prune',
    };
  const dirty = await changedFiles(checkout.git);
  if (dirty.length > 0)
    return {
      reason: `${path} has uncommitted changes: ${formatFiles(dirty)}`,
      help: 'commit them, or stash them: git stash',
    };
  const changed = await listChangedPaths(checkout.git, move);
  const untrackedFiles = await findUntracked(checkout, changed.added);
  if (untrackedFiles.length > 0)
    return {
      reason: `${path} has untracked files that the merge would overwrite: ${formatFiles(untrackedFiles)}`,
      help: 'move or delete them',
    };
  const filtered = await filteredFiles(checkout.git, changed.written);
  if (filtered.length === 0) return null;
  return {
    reason: `git filters produce ${formatFiles(filtered)} in ${path}, and conductor runs no filters`,
    help: 'merge the branch of the item yourself',
  };
}

/** A rebase detaches HEAD from its branch and moves the branch at the end. */
export async function isRebasing(adminDir: string, ref: string): Promise<boolean> {
  for (const name of ['rebase-merge', 'rebase-apply'])
    if ((await readFileHere(join(adminDir, name, 'head-name')))?.trim() === ref) return true;
  return false;
}

async function changedFiles(git: Git): Promise<string[]> {
  const argv = ['status', '--porcelain=v1', '-z', '--untracked-files=no', '--no-renames'];
  const listed = await git([...argv, '--ignore-submodules=dirty']);
  return splitRecords(listed.stdout).map((record) => record.slice(3));
}

async function listChangedPaths(git: Git, { from, to }: Move) {
  const argv = ['diff-tree', '-r', '-z', '--name-status', '--no-renames', from, to];
  const tokens = splitRecords((await git(argv)).stdout);
  const [added, written]: [string[], string[]] = [[], []];
  for (let at = 0; at + 1 < tokens.length; at += 2) {
    const [status, path = ''] = [tokens[at], tokens[at + 1]];
    if (status === 'A') added.push(path);
    if (status !== 'D') written.push(path);
  }
  return { added, written };
}

/** Finds untracked files at the paths of new ones. Includes ignored files, which git would overwrite silently. */
async function findUntracked({ path, git }: MergeCheckout, added: readonly string[]): Promise<string[]> {
  const found = new Set<string>();
  for (const name of added) {
    const blocking = await nearestFile(path, name);
    if (blocking === null) continue;
    const others = await git(['--literal-pathspecs', 'ls-files', '--others', '-z', '--', blocking]);
    for (const other of splitRecords(others.stdout)) found.add(other);
  }
  return [...found];
}

/** The path itself, or a file in the place of one of its parent folders; null if neither exists. */
async function nearestFile(root: string, name: string): Promise<string | null> {
  const parts = name.split('/');
  for (let length = 1; length <= parts.length; length += 1) {
    const part = parts.slice(0, length).join('/');
    const kind = await kindOf(join(root, part));
    if (kind === 'missing') return null;
    if (kind !== 'folder' || length === parts.length) return part;
  }
  return null;
}

async function filteredFiles(git: Git, paths: readonly string[]): Promise<string[]> {
  if (paths.length === 0) return [];
  const stdin = paths.map((path) => `${path}\0`).join('');
  const tokens = splitRecords((await git(['check-attr', '-z', '--stdin', 'filter'], { stdin })).stdout);
  const found: string[] = [];
  for (let at = 0; at + 2 < tokens.length; at += 3) {
    const [path = '', , filter = ''] = tokens.slice(at, at + 3);
    if (!['unspecified', 'unset', 'set'].includes(filter) && (await isConfigured(git, filter)))
      found.push(path);
  }
  return found;
}

async function isConfigured(git: Git, filter: string): Promise<boolean> {
  for (const key of [`filter.${filter}.smudge`, `filter.${filter}.process`]) {
    const values = await git(['config', '--null', '--get-all', key], { answers: [1] });
    if (splitRecords(values.stdout).length > 0) return true;
  }
  return false;
}

function formatFiles(files: readonly string[]): string {
  const rest = files.length - FILES_SHOWN;
  return [...files.slice(0, FILES_SHOWN), ...(rest > 0 ? [`${rest} more`] : [])].join(', ');
}

function splitRecords(output: Buffer): string[] {
  return output
    .toString('utf8')
    .split('\0')
    .filter((part) => part !== '');
}
