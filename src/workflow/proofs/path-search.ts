import type { RouteKey } from '../../contracts/vocabulary.ts';
import { isSuccessKey } from '../../kernel/ending.ts';
import type { PlanStep } from '../../kernel/plan.ts';
import { END, endsRun, type PlanGraph, type WayOut } from './plan-graph.ts';

/** A step on a way through the workflow, and the key it is left by. */
export interface PathStep {
  readonly stepId: string;
  readonly key: RouteKey;
}

/** What a property remembers on the way; small numbers, so that there are few of them. */
export interface Walker {
  readonly start: number;
  /** How many values `next` can give: 0 up to this, exclusive. */
  readonly size: number;
  readonly next: (memory: number, step: PlanStep, key: RouteKey) => number;
}

/** A successful end that was found, by the memory the way arrives there with. */
export type SuccessfulEnds = ReadonlyMap<number, SuccessfulEnd>;

interface SuccessfulEnd {
  readonly path: readonly PathStep[];
  /** The id of the declared STOP step, or null for the bare word. */
  readonly stopId: string | null;
}

interface Visit {
  readonly node: number;
  readonly memory: number;
  /** Whether the key that counts for the end is one of success; a rollback hands on what led into it. */
  readonly well: boolean;
  /** Where the way comes from, and the key it left that step by; both null at the entry. */
  readonly from: Visit | null;
  readonly by: RouteKey | null;
}

/**
 * The shortest way to a successful end for every memory that can arrive at one. A way is an endless
 * thing where there are loops, but what matters about it is only where it stands, what the property
 * remembers and whether an end here would be a success. So the search is breadth-first over these
 * triples, each of which is looked at once: linear in routes times memories, never over ways.
 *
 * `max_visits` and revision caps are not heeded: a property that holds without them holds with them.
 */
export function findSuccessfulEnds(graph: PlanGraph, walker: Walker): SuccessfulEnds {
  const ends = new Map<number, SuccessfulEnd>();
  if (graph.entry === END) return ends;
  const seen = new Set<number>();
  const queue: Visit[] = [];
  const isNew = (node: number, memory: number, well: boolean): boolean => {
    const before = seen.size;
    seen.add((node * walker.size + memory) * 2 + (well ? 1 : 0));
    return seen.size > before;
  };
  // A STOP that is entered through no key at all ends as completed, and so does one behind a rollback there.
  isNew(graph.entry, walker.start, true);
  queue.push({ node: graph.entry, memory: walker.start, well: true, from: null, by: null });
  for (const visit of queue) {
    const step = graph.steps[visit.node];
    if (step === undefined) continue;
    for (const way of graph.waysOut[visit.node] ?? []) {
      const memory = walker.next(visit.memory, step, way.key);
      const well = endsWell(visit, step, way);
      if (!endsRun(graph, way)) {
        if (isNew(way.to, memory, well)) queue.push({ node: way.to, memory, well, from: visit, by: way.key });
      } else if (well && !ends.has(memory)) {
        ends.set(memory, { path: pathTo(graph, visit, way.key), stopId: graph.steps[way.to]?.id ?? null });
      }
    }
  }
  return ends;
}

function endsWell(visit: Visit, step: PlanStep, { key }: WayOut): boolean {
  return step.opcode === 'ROLLBACK' && key === 'completed' ? visit.well : isSuccessKey(key);
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
