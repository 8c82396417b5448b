import { lstat } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * A configuration that came from another machine may say that run bits do not count, or that `a` and `A` are one file.
 * Where the file system tells them apart, git has to: a step could otherwise change what no snapshot sees.
 */
export async function settingsForFileSystem(worktreePath: string): Promise<readonly string[]> {
  const [link, inCapitals] = await Promise.all(
    ['.git', '.GIT'].map((name) => lstat(join(worktreePath, name)).catch(() => null)),
  );
  if (link === null || link === undefined) return [];
  // Git wrote this file without a run bit; a file system that knows none shows it on every file.
  const keepsRunBits = !link.isFile() || (link.mode & 0o111) === 0;
  const keepsCase = inCapitals === null || inCapitals === undefined || inCapitals.ino !== link.ino;
  return [...(keepsRunBits ? ['core.fileMode=true'] : []), ...(keepsCase ? ['core.ignoreCase=false'] : [])];
}
