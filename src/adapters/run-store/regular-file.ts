import { constants } from 'node:fs';
import { type FileHandle, open, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { hasErrorCode } from '../../text/error-code.ts';

/**
 * Opens a file of a record. An agent without a sandbox can put a link or a pipe in its place: this function neither
 * follows a link nor blocks on a pipe, but reports both as a missing file.
 */
export async function openRegularFile(path: string): Promise<FileHandle> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    (error: unknown) => {
      throw isLinkOrSocket(error) ? missingFileError(path) : error;
    },
  );
  try {
    const found = await file.stat();
    if (found.isFile()) return file;
    throw found.isDirectory()
      ? createError('EISDIR', `a folder, and not a file: ${path}`)
      : missingFileError(path);
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** How often a file may be replaced while it is being opened. */
const MAX_OPENS = 100;

/** The same below a folder: the folder itself may be a link, as for runs that are stored elsewhere; nothing below it may. */
export async function openRegularFileIn(folder: string, relativePath: string): Promise<FileHandle> {
  const path = join(await realpath(folder), relativePath);
  for (let count = 0; count < MAX_OPENS; count += 1) {
    const file = await openRegularFile(path);
    const place = await compareWithPath(file, path).catch(async (error: unknown) => {
      await file.close();
      throw error;
    });
    if (place === 'same') return file;
    await file.close();
    if (place === 'behind a link') break;
  }
  throw missingFileError(path);
}

/**
 * `O_NOFOLLOW` is about the last part of the path only. Comparing after the open leaves no time to put a link in place of
 * a folder: then the open file isn't the one that the resolved path names. A driver replaces files too.
 */
async function compareWithPath(
  file: FileHandle,
  path: string,
): Promise<'same' | 'replaced' | 'behind a link'> {
  const opened = await file.stat();
  if ((await realpath(path)) !== path) return 'behind a link';
  const named = await stat(path);
  return named.ino === opened.ino && named.dev === opened.dev ? 'same' : 'replaced';
}

function isLinkOrSocket(error: unknown): boolean {
  return hasErrorCode(error, 'ELOOP') || hasErrorCode(error, 'ENXIO');
}

function missingFileError(path: string): Error {
  return createError('ENOENT', `no such file: ${path}`);
}

function createError(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}

export async function readRegularFile(path: string): Promise<Buffer> {
  const file = await openRegularFile(path);
  try {
    return await file.readFile();
  } finally {
    await file.close();
  }
}
