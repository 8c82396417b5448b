import { open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ownValue } from '../../contracts/own-value.ts';
import type { RefState } from '../../contracts/workspace-change.ts';

/** The HEAD logs of all checkouts but the run's own, with their lengths. */
export async function readHeadLogs(gitDir: string, ownAdminDir: string): Promise<RefState['headLogs']> {
  const worktrees = await readdir(join(gitDir, 'worktrees')).catch((): string[] => []);
  const linked = worktrees.map((name) => join(gitDir, 'worktrees', name));
  const lengths: Record<string, number> = {};
  for (const adminDir of [gitDir, ...linked]) {
    if (adminDir === ownAdminDir) continue;
    const log = join(adminDir, 'logs', 'HEAD');
    const found = await stat(log).catch(() => null);
    if (found !== null) lengths[log] = found.size;
  }
  return lengths;
}

/**
 * Refs whose new value was also written to the HEAD log of another checkout meanwhile: somebody committed,
 * merged or pulled there. Checkouts that are new do not count, as the step could have made them.
 */
export async function movedElsewhere(before: RefState, after: RefState): Promise<readonly string[]> {
  const moved = Object.entries(after.refs).filter(([name, value]) => ownValue(before.refs, name) !== value);
  if (moved.length === 0) return [];
  const written = new Set<string>();
  for (const [log, length] of Object.entries(before.headLogs))
    for (const value of await valuesAfter(log, length)) written.add(value);
  return moved.filter(([, value]) => written.has(value)).map(([name]) => name);
}

/** Each line of a reflog starts with the old and the new value. */
async function valuesAfter(log: string, offset: number): Promise<string[]> {
  const handle = await open(log, 'r').catch(() => null);
  if (handle === null) return [];
  try {
    const { size } = await handle.stat();
    const buffer = Buffer.alloc(Math.max(0, size - offset));
    await handle.read(buffer, 0, buffer.length, offset);
    return buffer
      .toString('utf8')
      .split('\n')
      .flatMap((line) => line.split(' ', 2)[1] ?? []);
  } finally {
    await handle.close();
  }
}
