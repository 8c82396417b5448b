import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Git, GitError } from './git-command.ts';

/** A living git holds the lock of a ref for milliseconds. */
const STALE_LOCK_MS = 1_000;

/**
 * Points a ref that only conductors of one run write at a commit; with `current`, only if it is there now, and the
 * empty text stands for a ref that is not there. A lock in the way that nobody would hold so long was left by a git
 * that was killed.
 */
export async function moveOwnRef(git: Git, ref: string, commit: string, current?: string): Promise<void> {
  const argv = ['update-ref', '--no-deref', ref, commit, ...(current === undefined ? [] : [current])];
  try {
    await git(argv);
  } catch (error) {
    await clearStaleLock(error, ref);
    await moveAgain(git, argv, ref);
  }
}

/** A git that was killed a moment ago has left a lock that only becomes stale while it is waited for. */
async function moveAgain(git: Git, argv: readonly string[], ref: string): Promise<void> {
  try {
    await git(argv, { retryLocks: true });
  } catch (error) {
    if (!(await clearStaleLock(error, ref))) throw error;
    await git(argv, { retryLocks: true });
  }
}

/** True when there was one. */
async function clearStaleLock(error: unknown, ref: string): Promise<boolean> {
  const lock = lockInTheWay(error, ref);
  if (lock === null || !(await isStale(lock))) return false;
  await rm(lock, { force: true });
  return true;
}

/** A lock on a ref that nobody writes again would stay for ever. */
export async function clearOwnRefLocks(gitDir: string, runId: string): Promise<void> {
  for (const folder of [`refs/conductor/${runId}`, `refs/conductor/salvage/${runId}`]) {
    const names = await readdir(join(gitDir, folder), { recursive: true }).catch((): string[] => []);
    for (const lock of names
      .filter((name) => name.endsWith('.lock'))
      .map((name) => join(gitDir, folder, name)))
      if (await isStale(lock)) await rm(lock, { force: true });
  }
}

function lockInTheWay(error: unknown, ref: string): string | null {
  if (!(error instanceof GitError)) return null;
  const path = /Unable to create '(.+\.lock)': File exists/.exec(error.detail)?.[1] ?? null;
  return path?.endsWith(`/${ref}.lock`) === true ? path : null;
}

async function isStale(lock: string): Promise<boolean> {
  const found = await stat(lock).catch(() => null);
  return found === null || Date.now() - found.mtimeMs > STALE_LOCK_MS;
}
