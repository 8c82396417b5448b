import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Number of files to read at once. */
const AT_ONCE = 64;

/** Bytes of all files below a path, as far as they can be read; links are not followed. */
export async function folderSize(path: string): Promise<number> {
  const own = await lstat(path).catch(() => null);
  if (own === null) return 0;
  if (!own.isDirectory()) return own.size;
  let bytes = 0;
  const names = await readdir(path).catch((): string[] => []);
  for (let start = 0; start < names.length; start += AT_ONCE) {
    const sizes = names.slice(start, start + AT_ONCE).map((name) => folderSize(join(path, name)));
    for (const size of await Promise.all(sizes)) bytes += size;
  }
  return bytes;
}
