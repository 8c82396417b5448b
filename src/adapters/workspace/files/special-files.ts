import type { Dirent } from 'node:fs';
import { chmod, readdir, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { hasErrorCode } from '../../../text/error-code.ts';
import { withShortPaths } from './deep-folders.ts';
import { DISPLACED_FOLDER } from './displaced.ts';

const FOLDERS_AT_ONCE = 32;
const SLASH = Buffer.from('/');

/**
 * Removes pipes, sockets and devices from a checkout while no process works in it. They hold no content. Git can't store
 * them, fails where one replaces a file, and blocks for ever on a pipe called `.gitignore`. Folders that can't be read
 * become readable, and folders that are too deep to be read are moved out of the checkout.
 */
export async function removeSpecialFiles(checkout: string): Promise<void> {
  await withShortPaths(checkout, join(dirname(checkout), DISPLACED_FOLDER), () => clearCheckout(checkout));
}

async function clearCheckout(checkout: string): Promise<void> {
  const waiting: Buffer[] = [Buffer.from(checkout)];
  while (waiting.length > 0) {
    const next = waiting.splice(0, FOLDERS_AT_ONCE);
    for (const folders of await Promise.all(next.map(clearFolder))) waiting.push(...folders);
  }
}

/** Returns the folders below. Names are bytes: those that are not UTF-8 must be found too. */
async function clearFolder(folder: Buffer): Promise<Buffer[]> {
  const folders: Buffer[] = [];
  for (const entry of await entriesOf(folder)) {
    const path = Buffer.concat([folder, SLASH, entry.name]);
    if (entry.isDirectory()) folders.push(path);
    else if (!entry.isFile() && !entry.isSymbolicLink()) await unlink(path);
  }
  return folders;
}

async function entriesOf(folder: Buffer): Promise<Dirent<Buffer>[]> {
  const read = () => readdir(folder, { encoding: 'buffer', withFileTypes: true });
  try {
    return await read().catch(async (error: unknown) => {
      if (!hasErrorCode(error, 'EACCES')) throw error;
      // Git would treat the files of an unreadable folder as deleted.
      await chmod(folder, 0o700);
      return read();
    });
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EPERM'].some((code) => hasErrorCode(error, code))) return [];
    throw error;
  }
}
