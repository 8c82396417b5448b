import { realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { OpenFile, RecordFiles } from '../../ports/record-files.ts';
import { hasErrorCode } from '../../text/error-code.ts';
import { isRecordPath } from '../../text/paths.ts';
import { openRegularFile } from './regular-file.ts';

const MISSING = ['ENOENT', 'ENOTDIR', 'EISDIR', 'ELOOP', 'ENAMETOOLONG', 'EACCES', 'ERR_INVALID_ARG_VALUE'];

/** An agent without a sandbox can write into records, and a cloned repository can contain some: links lead nowhere. */
export function createRecordFiles(): RecordFiles {
  return {
    open: async (folder, relativePath) => {
      if (!isRecordPath(relativePath)) return null;
      try {
        return await openInside(folder, relativePath);
      } catch (error) {
        if (MISSING.some((code) => hasErrorCode(error, code))) return null;
        throw error;
      }
    },
  };
}

/** The folder itself may be a link, as for runs that are stored elsewhere; nothing below it may. */
async function openInside(folder: string, relativePath: string): Promise<OpenFile | null> {
  const path = join(await realpath(folder), relativePath);
  const file = await openRegularFile(path);
  try {
    // `O_NOFOLLOW` is about the last part of the path only. Comparing after the open leaves no time to put a link in
    // place of a folder: then the open file isn't the one that the resolved path names.
    const opened = await file.stat();
    const isDirect = (await realpath(path)) === path;
    const named = await stat(path);
    if (!isDirect || named.ino !== opened.ino || named.dev !== opened.dev) {
      await file.close();
      return null;
    }
    return {
      bytes: opened.size,
      identity: `${opened.dev}:${opened.ino}`,
      read: async (buffer, position) => (await file.read(buffer, 0, buffer.length, position)).bytesRead,
      close: () => file.close(),
    };
  } catch (error) {
    await file.close();
    throw error;
  }
}
