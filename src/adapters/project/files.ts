import { access, constants, readdir, realpath, stat } from 'node:fs/promises';
import type { Files } from '../../ports/project-files.ts';
import { readBounded } from './bounded-file.ts';

export const systemFiles: Files = {
  read: (path) => readBounded(path).catch(() => null),
  list: (folder) => readdir(folder).catch((): string[] => []),
  exists: canAccess,
  realPath: (path) => realpath(path),
  folderState: async (path) => {
    const found = await stat(path).catch(() => null);
    if (found === null) return 'missing';
    if (!found.isDirectory()) return 'not_a_folder';
    return (await canAccess(path, constants.W_OK)) ? 'writable' : 'read_only';
  },
};

async function canAccess(path: string, mode?: number): Promise<boolean> {
  return access(path, mode).then(
    () => true,
    () => false,
  );
}
