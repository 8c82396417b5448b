import { lstat } from 'node:fs/promises';
import type { Git } from './git-command.ts';
import { pathInside } from './ignored-files.ts';
import type { RunWorktree } from './run-worktree.ts';

/** Pipes, sockets and devices among some paths; git can't store them, so whatever they replaced counts as gone. */
export async function findUnstorable(worktree: RunWorktree, paths: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const path of paths) {
    const stat = await lstat(pathInside(worktree, path)).catch(() => null);
    if (stat !== null && !stat.isFile() && !stat.isSymbolicLink() && !stat.isDirectory()) found.push(path);
  }
  return found;
}

/** Takes the files that such things stand in place of out of the index; false when there are none. */
export async function forgetUnstorable(git: Git, worktree: RunWorktree): Promise<boolean> {
  const listed = await git(['ls-files', '-m', '-z', '--deduplicate']);
  const paths = listed.stdout
    .toString('latin1')
    .split('\0')
    .filter((path) => path !== '');
  const found = await findUnstorable(worktree, paths);
  if (found.length === 0) return false;
  const stdin = Buffer.from(found.map((path) => `${path}\0`).join(''), 'latin1');
  await git(['update-index', '-z', '--force-remove', '--stdin'], { stdin });
  return true;
}
