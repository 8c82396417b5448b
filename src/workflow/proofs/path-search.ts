import type { RouteKey } from '../../contracts/vocabulary.ts';
import { isSuccessKey } from '../../kernel/ending.ts';
import type { PlanStep } from '../../kernel/plan.ts';
import { END, endsRun, type OutgoingRoute, type PlanGraph } from './plan-graph.ts';

/** A step on a path through the workflow and the key of the route taken. */
export interface PathStep {
  readonly stepId: string;
  readonly key: RouteKey;
}

/** The state that a property tracks along a path; small numbers, so that there are few states. */
export interface Walker {
  readonly start: number;
  /** Number of states: `next` returns 0 up to `size` - 1. */
  readonly size: number;
  readonly next: (memory: number, step: PlanStep, key: RouteKey) => number;
}

/** The successful ends found, by the memory at the end of the path. */
export type SuccessfulEnds = ReadonlyMap<number, SuccessfulEnd>;

interface SuccessfulEnd {
  readonly path: readonly PathStep[];
  /** The id of the declared STOP step, or null for plain STOP. */
  readonly stopId: string | null;
}

interface Visit {
  readonly node: number;
  readonly memory: number;
  /** Whether an end here would be a success. A completed rollback keeps the value it was entered with. */
  readonly isSuccess: boolean;
  /** The previous step of the path and the key of the route from it; both null at the entry. */
  readonly from: Visit | null;
  readonly by: RouteKey | null;
}

/**
 * Finds the shortest path to a successful end for every memory that can arrive at one. Loops make the number of paths
 * infinite, but only the current step, the memory and whether an end here would be a success matter. So this is a
 * breadth-first search over these triples, each visited once: linear in routes times memories.
 *
 * Ignores `max_visits` and revision caps: a property that holds without them also holds with them.
 */
export function findSuccessfulEnds(graph: PlanGraph, walker: Walker): SuccessfulEnds {
  const ends = new Map<number, SuccessfulEnd>();
  if (graph.entry === END) return ends;
  const seen = new Set<number>();
  const queue: Visit[] = [];
  const isNew = (node: number, memory: number, isSuccess: boolean): boolean => {
    const before = seen.size;
    seen.add((node * walker.size + memory) * 2 + (isSuccess ? 1 : 0));
    return seen.size > before;
  };
  // A STOP as the entry step ends as completed, and so does a STOP after an entry step that is a rollback.
  isNew(graph.entry, walker.start, true);
  queue.push({ node: graph.entry, memory: walker.start, isSuccess: true, from: null, by: null });
  for (const visit of queue) {
    const step = graph.steps[visit.node];
    if (step === undefined) continue;
    for (const route of graph.outgoing[visit.node] ?? []) {
      const memory = walker.next(visit.memory, step, route.key);
      const isSuccess = endsAsSuccess(visit, step, route);
      if (!endsRun(graph, route)) {
        if (isNew(route.to, memory, isSuccess))
          queue.push({ node: route.to, memory, isSuccess, from: visit, by: route.key });
      } else if (isSuccess && !ends.has(memory)) {
        ends.set(memory, {
          path: pathTo(graph, visit, route.key),
          stopId: graph.steps[route.to]?.id ?? null,
        });
      }
    }
  }
  return ends;
}

function endsAsSuccess(visit: Visit, step: PlanStep, { key }: OutgoingRoute): boolean {
  return step.opcode === 'ROLLBACK' && key === 'completed' ? visit.isSuccess : isSuccessKey(key);
}

function pathTo(graph: PlanGraph, last: Visit, end: RouteKey): readonly PathStep[] {
  const path: PathStep[] = [];
  let key: RouteKey | null = end;
  for (let visit: Visit | null = last; visit !== null && key !== null; visit = visit.from) {
    path.push({ stepId: graph.steps[visit.node]?.id ?? '', key });
    key = visit.by;
  }
  return path.reverse();
}
