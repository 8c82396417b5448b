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

/** Takes the repositories away that `tree` knows nothing of; what they hold is kept in the run folder. */
export async function displaceNestedRepositories(
  worktree: RunWorktree,
  nested: readonly string[],
  tree: string,
): Promise<void> {
  if (nested.length === 0) return;
  const listed = await worktree.git(['ls-tree', '-r', '-z', '--name-only', tree]);
  const known = listed.stdout.toString('latin1').split('\0');
  for (const folder of nested.toReversed()) {
    if (known.some((path) => path.startsWith(`${folder}/`))) continue;
    const path = pathInside(worktree, folder);
    await displaceWhereFound(worktree, Buffer.concat([path, Buffer.from('/.git')]));
    await rmdir(path).catch(() => undefined);
  }
}

/** Git leaves the folder of a submodule alone, so one whose commit must change is emptied by hand. */
export async function displaceSubmodules(
  worktree: RunWorktree,
  fromTree: string,
  toTree: string,
): Promise<readonly Buffer[]> {
  const argv = ['diff-tree', '-r', '-z', '--raw', '--no-abbrev', '--no-renames', fromTree, toTree];
  const tokens = (await worktree.git(argv)).stdout.toString('latin1').split('\0');
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
