import { chmod, lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

const FULL_ACCESS = 0o700;

/** Gives the owner of folders that an agent closed the right to change them again. Links are not followed. */
export async function unlockFolders(path: string): Promise<void> {
  const found = await lstat(path).catch(() => null);
  if (found === null || !found.isDirectory()) return;
  if ((found.mode & FULL_ACCESS) !== FULL_ACCESS) await chmod(path, (found.mode & 0o777) | FULL_ACCESS);
  for (const entry of await readdir(path, { withFileTypes: true }))
    if (entry.isDirectory()) await unlockFolders(join(path, entry.name));
}
