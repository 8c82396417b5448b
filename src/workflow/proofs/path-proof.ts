import type { PathStep, SuccessfulEnds } from './path-search.ts';

/** A way that is as short as any of its kind, and what it ends at. */
export interface Way {
  readonly path: readonly PathStep[];
  /** The id of a STOP step, or STOP. */
  readonly end: string;
}

/**
 * What holds on every way to a successful end. `judged` is the shortest way that holds only because an
 * EVALUATE saw the evidence in between: the planner does not call a failed validation or proposed goldens
 * a success, and a person who approves after it knows of them.
 */
export interface PathProof {
  readonly holds: boolean;
  /** The shortest way that breaks it; null where it holds. */
  readonly broken: Way | null;
  readonly judged: Way | null;
}

/** The shortest of the ways that arrive with one of these memories. */
export function shortestWay(ends: SuccessfulEnds, fits: (memory: number) => boolean): Way | null {
  let best: Way | null = null;
  for (const [memory, { path, stopId }] of ends) {
    if (!fits(memory) || (best !== null && best.path.length <= path.length)) continue;
    best = { path, end: stopId ?? 'STOP' };
  }
  return best;
}
