import { mkdir, rmdir } from 'node:fs/promises';
import { kindOf } from './file-kind.ts';
import type { Git } from './git-command.ts';
import { displace, TRACKED_PATHSPEC } from './harness-link.ts';
import { pathInside } from './ignored-files.ts';
import type { RunWorktree } from './run-worktree.ts';

const GITLINK_MODE = '160000';
const DEPTH_LIMIT = 32;
const SEED_NAME = '.conductor-seed';

/**
 * Makes git treat repositories that an agent made inside the worktree as plain folders. Otherwise their
 * files would be missing from every diff and snapshot, and one without a commit would fail `git add`. Git
 * descends into a folder that the index knows a file of, so each gets one that the next `add -A` drops.
 */
export async function trackNestedRepositories(git: Git): Promise<readonly string[]> {
  const found: string[] = [];
  for (let depth = 0; depth < DEPTH_LIMIT; depth += 1) {
    const listed = await git(['ls-files', '-o', '-z', '--exclude-standard', ...TRACKED_PATHSPEC]);
    const folders = listed.stdout
      .toString('latin1')
      .split('\0')
      .filter((path) => path.endsWith('/'));
    if (folders.length === 0) break;
    found.push(...folders.map((path) => path.slice(0, -1)));
    await seed(git, folders);
  }
  return found;
}

async function seed(git: Git, folders: readonly string[]): Promise<void> {
  const empty = await git(['hash-object', '-w', '--stdin'], { stdin: '' });
  const blob = empty.stdout.toString('utf8').trim();
  const records = folders.map((folder) => `100644 ${blob} 0\t${folder}${SEED_NAME}\0`).join('');
  await git(['update-index', '-z', '--index-info'], { stdin: Buffer.from(records, 'latin1') });
}

/**
 * Takes the repositories away that `tree` knows nothing of; what they hold is kept in the run folder. `unread` are folders
 * with a `.git` that git itself takes for no repository, and so would leave where it is.
 */
export async function displaceNestedRepositories(
  worktree: RunWorktree,
  { nested, unread }: { readonly nested: readonly string[]; readonly unread: readonly string[] },
  tree: string,
): Promise<void> {
  if (nested.length + unread.length === 0) return;
  const listed = (await worktree.git(['ls-tree', '-r', '-z', tree])).stdout.toString('latin1').split('\0');
  const known = listed.map((record) => record.slice(record.indexOf('\t') + 1));
  const submodules = new Set(
    known.filter((_path, index) => listed[index]?.startsWith(GITLINK_MODE) === true),
  );
  const others = unread.filter((folder) => !nested.includes(folder) && !submodules.has(folder));
  for (const folder of [...nested.toReversed(), ...others]) {
    if (known.some((path) => path.startsWith(`${folder}/`))) continue;
    const path = pathInside(worktree, folder);
    await displaceWhereFound(worktree, Buffer.concat([path, Buffer.from('/.git')]));
    await rmdir(path).catch(() => undefined);
  }
}

/**
 * Git leaves the folder of a submodule alone, so one whose commit must change is emptied by hand. The trees are compared by
 * way of an index of ours, as an agent can make the worktree's own one unreadable.
 */
export async function displaceSubmodules(
  worktree: RunWorktree,
  { fromTree, toTree, index }: { readonly fromTree: string; readonly toTree: string; readonly index: string },
): Promise<readonly Buffer[]> {
  const argv = ['diff-tree', '-r', '-z', '--raw', '--no-abbrev', '--no-renames', fromTree, toTree];
  const tokens = (await worktree.git(argv, { env: { GIT_INDEX_FILE: index } })).stdout
    .toString('latin1')
    .split('\0');
  const wanted: Buffer[] = [];
  for (let at = 0; at + 1 < tokens.length; at += 2) {
    const [oldMode, newMode] = (tokens[at] ?? '').slice(1).split(' ');
    if (oldMode !== GITLINK_MODE && newMode !== GITLINK_MODE) continue;
    const path = pathInside(worktree, tokens[at + 1] ?? '');
    if (oldMode === GITLINK_MODE) await displaceWhereFound(worktree, path);
    if (newMode === GITLINK_MODE) wanted.push(path);
  }
  return wanted;
}

export async function makeFolders(paths: readonly Buffer[]): Promise<void> {
  for (const path of paths) await mkdir(path, { recursive: true });
}

async function displaceWhereFound(worktree: RunWorktree, path: Buffer): Promise<void> {
  if ((await kindOf(path)) === 'missing') return;
  await displace(worktree.workspace.worktreePath, worktree.workspace.runId, path);
}
