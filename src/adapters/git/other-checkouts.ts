import { open, readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ownValue } from '../../contracts/own-value.ts';
import type { RefState } from '../../contracts/workspace-change.ts';
import { leadsTo, ownMovesLog } from './own-moves.ts';

/** The HEAD logs of all checkouts but the run's own, and the log of moves that conductors made, with their lengths. */
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
  // Unlike a checkout that is new, it may come to be with the first move that it tells.
  const moves = ownMovesLog(gitDir);
  return { ...lengths, [moves]: (await stat(moves).catch(() => null))?.size ?? 0 };
}

/**
 * Refs whose new value was also written to the HEAD log of another checkout meanwhile: somebody committed,
 * merged or pulled there. Checkouts that are new do not count, as the step could have made them. And refs that a
 * conductor moved, which it tells by their names and both values.
 */
export async function movedElsewhere(before: RefState, after: RefState): Promise<readonly string[]> {
  const moved = Object.entries(after.refs).filter(([name, value]) => ownValue(before.refs, name) !== value);
  if (moved.length === 0) return [];
  const written = new Set<string>();
  const told: string[] = [];
  for (const [log, length] of Object.entries(before.headLogs)) {
    const lines = await linesAfter(log, length);
    // Each line of a reflog starts with the old and the new value.
    if (isOwnMoves(log)) told.push(...lines);
    else for (const line of lines) written.add(line.split(' ', 2)[1] ?? '');
  }
  return moved
    .filter(([name, to]) => {
      const from = ownValue(before.refs, name);
      return written.has(to) || (from !== undefined && leadsTo(told, { ref: name, from, to }));
    })
    .map(([name]) => name);
}

function isOwnMoves(log: string): boolean {
  return log === ownMovesLog(dirname(dirname(log)));
}

async function linesAfter(log: string, offset: number): Promise<string[]> {
  const handle = await open(log, 'r').catch(() => null);
  if (handle === null) return [];
  try {
    const { size } = await handle.stat();
    const buffer = Buffer.alloc(Math.max(0, size - offset));
    await handle.read(buffer, 0, buffer.length, offset);
    return buffer
      .toString('utf8')
      .split('\n')
      .filter((line) => line !== '');
  } finally {
    await handle.close();
  }
}
