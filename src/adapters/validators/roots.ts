import { realpath } from 'node:fs/promises';
import { relative, sep } from 'node:path';
import type { ValidatorPlace } from '../../ports/validator.ts';
import { isPathInside } from '../../text/paths.ts';

export type RootName = 'worktree' | 'run';

/** The two folders that a validator may run from and leave artifacts in, without links in their paths. */
export type Roots = Readonly<Record<RootName, string>>;

/** What the conductor itself keeps at the top of a run directory: never an artifact of a validator. */
const OWN_ENTRIES = new Set([
  'metadata.json',
  'status.json',
  'events.ndjson',
  'final-state.txt',
  'workflow.yaml',
  'artifacts',
]);

export async function realRoots(place: ValidatorPlace): Promise<Roots> {
  return {
    worktree: (await realPathOf(place.worktreePath)) ?? place.worktreePath,
    run: (await realPathOf(place.runDir)) ?? place.runDir,
  };
}

/** Null when there is nothing, a link leads nowhere, or links go in circles. */
export async function realPathOf(path: string): Promise<string | null> {
  return realpath(path).catch(() => null);
}

/** The root that holds a path without links, or null when it lies outside of both. */
export function rootOf(roots: Roots, realPath: string): RootName | null {
  if (isPathInside(roots.worktree, realPath)) return 'worktree';
  return isPathInside(roots.run, realPath) ? 'run' : null;
}

export function isOffLimits(roots: Roots, realPath: string): boolean {
  const root = rootOf(roots, realPath);
  if (root === null) return true;
  const segments = relative(roots[root], realPath).split(sep);
  return segments.includes('.git') || (root === 'run' && OWN_ENTRIES.has(segments[0] ?? ''));
}
