import type { PathStep, SuccessfulEnds } from './path-search.ts';

/** A shortest path of its kind and its end. */
export interface ProofPath {
  readonly path: readonly PathStep[];
  /** The id of a STOP step, or STOP. */
  readonly end: string;
}

/**
 * Whether a property holds on every path to a successful end. `evaluated` is the shortest path on which it holds only
 * because an EVALUATE saw the evidence: the planner does not call a failed validation or proposed goldens a success,
 * and a reviewer who approves after it knows about them.
 */
export interface PathProof {
  readonly holds: boolean;
  /** The shortest counterexample; null if the property holds. */
  readonly broken: ProofPath | null;
  readonly evaluated: ProofPath | null;
}

/** The shortest path that ends with a matching memory. */
export function findShortestPath(ends: SuccessfulEnds, fits: (memory: number) => boolean): ProofPath | null {
  let best: ProofPath | null = null;
  for (const [memory, { path, stopId }] of ends) {
    if (!fits(memory) || (best !== null && best.path.length <= path.length)) continue;
    best = { path, end: stopId ?? 'STOP' };
  }
  return best;
}
