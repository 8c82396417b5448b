import { readdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { readRegularFile } from '../git/file-kind.ts';
import { type Git, printedValue } from '../git/git-command.ts';

/** A checkout of the repository, the user's own first. */
export interface ListedCheckout {
  readonly path: string;
  /** The full name of the branch that is checked out; null if HEAD is detached. */
  readonly branch: string | null;
  /** The one whose git folder is that of the repository. */
  readonly isMain: boolean;
}

export async function listCheckouts(git: Git): Promise<readonly ListedCheckout[]> {
  const listed = await git(['worktree', 'list', '--porcelain', '-z'], { retryLocks: true });
  return listed.stdout
    .toString('utf8')
    .split('\0\0')
    .flatMap((record, index) => {
      const fields = record.split('\0');
      const fieldOf = (key: string) =>
        fields.find((line) => line.startsWith(`${key} `))?.slice(key.length + 1);
      const path = fieldOf('worktree');
      if (path === undefined || fields.includes('bare')) return [];
      return [{ path, branch: fieldOf('branch') ?? null, isMain: index === 0 }];
    });
}

/** The git folder of a checkout, also if the checkout itself was deleted; null if git no longer knows it. */
export async function findAdminDir(git: Git, { path, isMain }: ListedCheckout): Promise<string | null> {
  const commonDir = printedValue(await git(['rev-parse', '--path-format=absolute', '--git-common-dir']));
  if (isMain) return commonDir;
  const folder = join(commonDir, 'worktrees');
  for (const name of await readdir(folder).catch((): string[] => [])) {
    const recorded = (await readRegularFile(join(folder, name, 'gitdir')))?.replace(/\n$/, '');
    // Newer versions of git may record the path relative to this folder.
    if (recorded !== undefined && dirname(resolve(folder, name, recorded)) === path)
      return join(folder, name);
  }
  return null;
}
