import { copyFile, lstat, readFile } from 'node:fs/promises';
import { hasErrorCode } from '../../../text/error-code.ts';

/** The kind of file at a path. Links are not followed. */
export async function kindOf(path: string | Buffer): Promise<'missing' | 'folder' | 'link' | 'other'> {
  try {
    const found = await lstat(path);
    return found.isDirectory() ? 'folder' : found.isSymbolicLink() ? 'link' : 'other';
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT') || hasErrorCode(error, 'ENOTDIR')) return 'missing';
    throw error;
  }
}

/** The text of a file; null for anything else. Opening a pipe would block until another process writes to it. */
export async function readRegularFile(path: string): Promise<string | null> {
  const found = await lstat(path).catch(() => null);
  return found?.isFile() === true ? readFile(path, 'utf8').catch(() => null) : null;
}

/** Does nothing if the source is missing. */
export async function copyFileIfPresent(from: string, to: string): Promise<void> {
  await copyFile(from, to).catch((error: unknown) => {
    if (!hasErrorCode(error, 'ENOENT')) throw error;
  });
}
