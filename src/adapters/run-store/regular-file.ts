import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
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
