import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

/**
 * Opens a file of a record. An agent that is not shut in can put a link or a pipe in its place: neither is followed, and
 * nobody waits for the other end of a pipe. Then it is as if there were no such file.
 */
export async function openRegularFile(path: string): Promise<FileHandle> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    (error: unknown) => {
      throw isNoFile(error) ? notThere(path) : error;
    },
  );
  try {
    const found = await file.stat();
    if (found.isFile()) return file;
    throw found.isDirectory() ? failure('EISDIR', `a folder, and not a file: ${path}`) : notThere(path);
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** A link, or a socket. */
function isNoFile(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ELOOP' || error.code === 'ENXIO');
}

function notThere(path: string): Error {
  return failure('ENOENT', `no such file: ${path}`);
}

function failure(code: string, message: string): Error {
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
