import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

/** Maximum depth of repositories that borrow from each other, as in git itself. */
const DEPTH_LIMIT = 5;

/** The object folders of a repository: its own, and those that it borrows from. */
export async function objectFoldersOf(gitDir: string): Promise<readonly string[]> {
  const found = new Set<string>();
  await followAlternates(join(gitDir, 'objects'), found, 0);
  return [...found];
}

async function followAlternates(folder: string, found: Set<string>, depth: number): Promise<void> {
  if (depth > DEPTH_LIMIT || found.has(folder)) return;
  found.add(folder);
  const text = await readFile(join(folder, 'info', 'alternates'), 'utf8').catch(() => '');
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  for (const line of lines) await followAlternates(resolve(folder, line), found, depth + 1);
}
