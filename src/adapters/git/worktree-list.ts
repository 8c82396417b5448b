import type { Git } from './git-command.ts';

/** A checkout of the repository, the user's own first. */
export interface ListedCheckout {
  readonly path: string;
  /** The full name of the branch it is on; null where its HEAD is detached. */
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
