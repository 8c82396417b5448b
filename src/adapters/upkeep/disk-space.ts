import type { DiskSpace } from '../../ports/work/disk-space.ts';
import { readFreeBytes } from './folder-size.ts';

/** With less than this, git and agents fail in ways that look like failures of the work. */
const LEAST_FREE_BYTES = 16 * 1024 * 1024;

export function createDiskSpace(folders: readonly string[]): DiskSpace {
  return {
    findFullFolder: async () => {
      for (const folder of folders) {
        const free = await readFreeBytes(folder);
        if (free !== null && free < LEAST_FREE_BYTES) return folder;
      }
      return null;
    },
  };
}
