import { realpath } from 'node:fs/promises';
import { relative, sep } from 'node:path';
import type { ValidatorPlace } from '../../ports/validator.ts';
import { isPathInside } from '../../text/paths.ts';

export type RootName = 'checkout' | 'run';

/** The real paths of the two folders that a validator may run from and leave artifacts in. */
export type Roots = Readonly<Record<RootName, string>>;

/** Entries of the run directory that conductor writes itself; they are never artifacts of a validator. */
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
    checkout: (await realPathOf(place.checkoutPath)) ?? place.checkoutPath,
    run: (await realPathOf(place.runDir)) ?? place.runDir,
  };
}

/** Null if the path does not exist, a link is dangling, or links form a cycle. */
export async function realPathOf(path: string): Promise<string | null> {
  return realpath(path).catch(() => null);
}

/** The root that contains a real path; null if it is outside of both. */
export function rootOf(roots: Roots, realPath: string): RootName | null {
  if (isPathInside(roots.checkout, realPath)) return 'checkout';
  return isPathInside(roots.run, realPath) ? 'run' : null;
}

export function isOffLimits(roots: Roots, realPath: string): boolean {
  const root = rootOf(roots, realPath);
  if (root === null) return true;
  const segments = relative(roots[root], realPath).split(sep);
  return segments.includes('.git') || (root === 'run' && OWN_ENTRIES.has(segments[0] ?? ''));
}
