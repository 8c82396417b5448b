import { chmod, lstat, readdir } from 'node:fs/promises';
import { GitError } from '../git/git-command.ts';

const SLASH = Buffer.from('/');
const FOLDER_ACCESS = 0o700;
const FILE_ACCESS = 0o400;

/**
 * Restores the owner's access to folders and files whose permissions a step removed. Links are not followed. A path that
 * can't be read is skipped, unless `isFatal` says that its error ends the walk.
 */
export async function unlock(
  path: string | Buffer,
  isFatal: (error: unknown) => boolean = () => false,
): Promise<void> {
  const found = await lstat(path).catch((error: unknown) => {
    if (isFatal(error)) throw error;
    return null;
  });
  if (found === null || (!found.isDirectory() && !found.isFile())) return;
  const needed = found.isDirectory() ? FOLDER_ACCESS : FILE_ACCESS;
  if ((found.mode & needed) !== needed) await chmod(path, (found.mode & 0o777) | needed);
  if (!found.isDirectory()) return;
  for (const name of await readdir(path, { encoding: 'buffer' }))
    await unlock(Buffer.concat([Buffer.from(path), SLASH, name]), isFatal);
}

/** Runs git commands below a folder. If they fail, retries once after `unlock`. */
export async function withUnlocked<T>(root: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof GitError) || error.exitCode === null) throw error;
    await unlock(root);
    return work();
  }
}
