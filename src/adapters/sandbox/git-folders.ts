import { readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';

/**
 * The folders that git reads for a checkout: its own, the one it shares with other checkouts, and those that objects
 * are borrowed from. Asked of the user's checkout: in a worktree an agent can write whatever it likes into `.git`.
 */
export async function gitFoldersOf(checkout: string): Promise<readonly string[]> {
  const own = await ownFolder(checkout);
  if (own === null) return [];
  const shared = await firstLine(join(own, 'commondir'));
  const common = shared === null ? own : resolve(own, shared);
  return [...new Set([own, common])].concat(await alternatesOf(common));
}

async function ownFolder(checkout: string): Promise<string | null> {
  const path = join(checkout, '.git');
  const found = await stat(path).catch(() => null);
  if (found === null) return null;
  if (found.isDirectory()) return path;
  const line = await firstLine(path);
  return line?.startsWith('gitdir: ') === true ? resolve(checkout, line.slice('gitdir: '.length)) : null;
}

async function alternatesOf(common: string): Promise<string[]> {
  const objects = join(common, 'objects');
  const text = await readFile(join(objects, 'info', 'alternates'), 'utf8').catch(() => '');
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => resolve(objects, line));
}

async function firstLine(path: string): Promise<string | null> {
  const text = await readFile(path, 'utf8').catch(() => null);
  return text?.split('\n')[0] ?? null;
}
