import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RefState } from '../../contracts/workspace-change.ts';

/**
 * Refs whose new value also stands in the HEAD log of a checkout other than the run's: somebody committed,
 * merged or pulled there while the step ran.
 */
export async function movedElsewhere(
  gitDir: string,
  ownAdminDir: string,
  before: RefState,
  after: RefState,
): Promise<readonly string[]> {
  const moved = Object.entries(after.refs).filter(([name, value]) => before.refs[name] !== value);
  if (moved.length === 0) return [];
  const seen = new Set<string>();
  for (const adminDir of await otherAdminDirs(gitDir, ownAdminDir))
    for (const value of await headValues(adminDir)) seen.add(value);
  return moved.filter(([, value]) => seen.has(value)).map(([name]) => name);
}

async function otherAdminDirs(gitDir: string, ownAdminDir: string): Promise<string[]> {
  const worktrees = await readdir(join(gitDir, 'worktrees')).catch((): string[] => []);
  const linked = worktrees.map((name) => join(gitDir, 'worktrees', name));
  return [gitDir, ...linked.filter((path) => path !== ownAdminDir)];
}

/** Each line of a reflog starts with the old and the new value. */
async function headValues(adminDir: string): Promise<string[]> {
  const log = await readFile(join(adminDir, 'logs', 'HEAD'), 'utf8').catch(() => '');
  return log.split('\n').flatMap((line) => line.split(' ', 2)[1] ?? []);
}
