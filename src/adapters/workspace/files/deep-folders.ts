import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { hasErrorCode } from '../../../text/error-code.ts';
import { unlock } from './unlock.ts';

/** Far below the system's limit of 4096 bytes for a path, and far above the paths of any real project. */
const MIN_MOVED_LENGTH = 2048;
const SLASH = '/'.charCodeAt(0);

/**
 * Runs `work` on a folder. If a path below it is too long, moves the deep folder to `asideFolder` and retries: at its
 * original path nothing could read or remove it.
 */
export async function withShortPaths<T>(
  root: string,
  asideFolder: string,
  work: () => Promise<T>,
): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const deep = hasErrorCode(error, 'ENAMETOOLONG') ? folderToMove(root, pathOf(error)) : null;
      if (deep === null) throw error;
      await mkdir(asideFolder, { recursive: true });
      await rename(deep, join(await mkdtemp(join(asideFolder, 'deep-')), 'folder'));
    }
  }
}

/** Removes a folder and its content, regardless of depth and permissions. */
export async function removeTree(path: string): Promise<void> {
  await withShortPaths(path, path, async () => {
    // Before `rm`, which would continue removing in the background after a failure on such a path.
    await unlock(path, (error) => hasErrorCode(error, 'ENAMETOOLONG'));
    await rm(path, { recursive: true, force: true });
  });
}

/** The topmost parent of a path whose own path is at least `KEPT_LENGTH` long. */
function folderToMove(root: string, path: Buffer | null): Buffer | null {
  if (path === null || !path.subarray(0, root.length).equals(Buffer.from(root))) return null;
  const end = path.indexOf(SLASH, Math.max(MIN_MOVED_LENGTH, Buffer.byteLength(root) + 1));
  return end === -1 ? null : path.subarray(0, end);
}

function pathOf(error: unknown): Buffer | null {
  const path = error instanceof Error && 'path' in error ? error.path : null;
  return typeof path === 'string' || Buffer.isBuffer(path) ? Buffer.from(path) : null;
}
