import type { OpenFile, RecordFiles } from '../../ports/record-files.ts';
import { hasErrorCode } from '../../text/error-code.ts';
import { isRecordPath } from '../../text/paths.ts';
import { openRegularFileIn } from './regular-file.ts';

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

async function openInside(folder: string, relativePath: string): Promise<OpenFile> {
  const file = await openRegularFileIn(folder, relativePath);
  const { size, dev, ino } = await file.stat();
  return {
    bytes: size,
    identity: `${dev}:${ino}`,
    read: async (buffer, position) => (await file.read(buffer, 0, buffer.length, position)).bytesRead,
    close: () => file.close(),
  };
}
