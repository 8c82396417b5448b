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
    if ((await file.stat()).isFile()) return file;
  } catch (error) {
    await file.close();
    throw error;
  }
  await file.close();
  throw notThere(path);
}

/** A link, or a socket. */
function isNoFile(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ELOOP' || error.code === 'ENXIO');
}

function notThere(path: string): Error {
  return Object.assign(new Error(`no such file: ${path}`), { code: 'ENOENT' });
}

export async function readRegularFile(path: string): Promise<Buffer> {
  const file = await openRegularFile(path);
  try {
    return await file.readFile();
  } finally {
    await file.close();
  }
}
