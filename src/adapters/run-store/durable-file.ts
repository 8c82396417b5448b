import { writeSync } from 'node:fs';
import { link, lstat, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncFolder, temporaryName, writeNew } from '../../node/atomic-file.ts';
import { hasErrorCode } from '../../text/error-code.ts';
import { openRegularFile } from './regular-file.ts';

export async function syncFile(path: string): Promise<void> {
  const handle = await openRegularFile(path);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Creates a file with its complete content. Returns false if the name is taken. */
export async function createOnce(path: string, content: string): Promise<boolean> {
  const temporary = temporaryName(path);
  await writeNew(temporary, content, { durable: true });
  try {
    await link(temporary, path);
  } catch (error) {
    if (hasErrorCode(error, 'EEXIST')) return false;
    throw error;
  } finally {
    await unlink(temporary);
  }
  await syncFolder(dirname(path));
  return true;
}

export async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT')) return false;
    throw error;
  }
}

export async function removeIfPresent(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch (error) {
    if (!hasErrorCode(error, 'ENOENT')) throw error;
  }
}

/**
 * Writes synchronously: the text only goes to the page cache, which takes less time than handing it to another thread.
 */
export function writeAll(fd: number, text: string): void {
  const bytes = Buffer.from(text);
  for (let written = 0; written < bytes.length; ) written += writeSync(fd, bytes, written);
}
