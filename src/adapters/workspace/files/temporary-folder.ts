import { lstat, mkdir, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sha256Hex } from '../../../node/sha256.ts';
import { hasErrorCode } from '../../../text/error-code.ts';
import { kindOf } from '../git/file-kind.ts';
import { removeTree } from './deep-folders.ts';

/**
 * The folder for temporary files of programs that run in a checkout. It is in the system's own temporary folder because
 * a workspace has a long path, and programs create sockets in `TMPDIR`, whose paths are limited to about 100 bytes.
 */
async function locateFolder(checkout: string): Promise<string> {
  const name = sha256Hex(checkout).slice(0, 12);
  return join(await realpath(tmpdir()), `conductor-${process.getuid?.() ?? 'user'}-${name}`);
}

/** Creates the folder if it is missing. Files from earlier steps stay in it. */
export async function openTemporaryFolder(checkout: string): Promise<string> {
  const folder = await locateFolder(checkout);
  if ((await kindOf(folder)) !== 'folder') await rm(folder, { force: true });
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    if (!hasErrorCode(error, 'EEXIST')) throw error;
  }
  const found = await lstat(folder);
  // In `/tmp`, other users may have created something of this name.
  const isOwn = found.isDirectory() && found.uid === (process.getuid?.() ?? found.uid);
  if (!isOwn)
    throw new Error(`${folder} belongs to another user; remove it, or set TMPDIR to another folder`);
  return folder;
}

export async function removeTemporaryFolder(checkout: string): Promise<void> {
  const folder = await locateFolder(checkout);
  await removeTree(folder);
}
