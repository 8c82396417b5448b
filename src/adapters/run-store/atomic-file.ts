import { randomBytes } from 'node:crypto';
import { writeSync } from 'node:fs';
import { link, lstat, open, rename, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { hasErrorCode } from '../../text/error-code.ts';
import { openRegularFile } from './regular-file.ts';

/** Makes the names in a folder survive power loss. Some file systems don't support this, which is ignored. */
export async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } catch (error) {
    if (!hasErrorCode(error, 'EINVAL') && !hasErrorCode(error, 'EPERM')) throw error;
  } finally {
    await handle.close();
  }
}

export async function syncFile(path: string): Promise<void> {
  const handle = await openRegularFile(path);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Readers see the old content or the new one, never a part. */
export async function writeAtomically(
  path: string,
  content: string | Uint8Array,
  durable: boolean,
): Promise<void> {
  const temporary = temporaryName(path);
  await writeNew(temporary, content, durable);
  await rename(temporary, path);
  if (durable) await syncFolder(dirname(path));
}

/** Creates a file with its complete content. Returns false if the name is taken. */
export async function createOnce(path: string, content: string): Promise<boolean> {
  const temporary = temporaryName(path);
  await writeNew(temporary, content, true);
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

async function writeNew(path: string, content: string | Uint8Array, durable: boolean): Promise<void> {
  const handle = await open(path, 'wx');
  try {
    await handle.writeFile(content);
    if (durable) await handle.sync();
  } catch (error) {
    // Otherwise every attempt on a full disk would leave another temporary file.
    await unlink(path).catch(() => {});
    throw error;
  } finally {
    await handle.close();
  }
}

function temporaryName(path: string): string {
  return `${path}.${randomBytes(6).toString('hex')}.tmp`;
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

/**
 * Writes synchronously: the text only goes to the page cache, which takes less time than handing it to another thread.
 */
export function writeAll(fd: number, text: string): void {
  const bytes = Buffer.from(text);
  for (let written = 0; written < bytes.length; ) written += writeSync(fd, bytes, written);
}
