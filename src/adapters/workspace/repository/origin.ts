import { readFile, realpath, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { kindOf } from '../git/file-kind.ts';
import type { RunRepository, UserRepository } from './run-repository.ts';

/**
 * Names the user's checkout that a workspace belongs to. The file is written once the workspace is complete: a folder
 * without it is from a process that died while creating the workspace.
 */
const ORIGIN_FILE = 'origin';

export async function writeOrigin(folder: string, repoRoot: string): Promise<void> {
  await writeFile(join(folder, ORIGIN_FILE), `${repoRoot}\n`, { flush: true });
}

export async function hasOrigin(folder: string): Promise<boolean> {
  return (await kindOf(join(folder, ORIGIN_FILE))) !== 'missing';
}

/**
 * Makes the user's checkout the owner of a workspace if the repository has moved: redirects the workspace to borrow
 * objects from the new location. Returns the other checkout that owns the workspace, or null if the user's own does:
 * the records of a copied repository name the workspaces of the original.
 */
export async function adoptOrFindOwner(
  { repoRoot }: Pick<UserRepository, 'repoRoot'>,
  { folder, storeDir, gitDir }: Pick<RunRepository, 'folder' | 'storeDir' | 'gitDir'>,
): Promise<string | null> {
  const origin = (await readFile(join(folder, ORIGIN_FILE), 'utf8').catch(() => '')).trimEnd();
  if (origin === '' || origin === repoRoot) return null;
  const found = await realpath(origin).catch(() => null);
  if (found === (await realpath(repoRoot))) return null;
  if (found !== null) return origin;
  for (const borrower of [storeDir, gitDir]) await moveAlternates(borrower, origin, repoRoot);
  await writeOrigin(folder, repoRoot);
  return null;
}

async function moveAlternates(gitDir: string, from: string, to: string): Promise<void> {
  const file = join(gitDir, 'objects/info/alternates');
  const text = await readFile(file, 'utf8').catch(() => null);
  if (text === null) return;
  const lines = text.split('\n');
  const moved = lines.map((path) => (path.startsWith(`${from}/`) ? `${to}${path.slice(from.length)}` : path));
  await writeFile(file, moved.join('\n'), { flush: true });
}
