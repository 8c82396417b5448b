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
  readonly from: { readonly visit: Visit; readonly key: RouteKey } | null;
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
  const take = (visit: Visit): void => {
    const id = (visit.node * walker.size + visit.memory) * 2 + (visit.well ? 1 : 0);
    if (seen.has(id)) return;
    seen.add(id);
    queue.push(visit);
  };
  // A STOP that is entered through no key at all ends as completed, and so does one behind a rollback there.
  take({ node: graph.entry, memory: walker.start, well: true, from: null });
  for (let at = 0; at < queue.length; at += 1) {
    const visit = queue[at];
    const step = visit === undefined ? undefined : graph.steps[visit.node];
    if (visit === undefined || step === undefined) continue;
    for (const way of graph.waysOut[visit.node] ?? []) {
      const memory = walker.next(visit.memory, step, way.key);
      const well = endsWell(visit, step, way);
      const from = { visit, key: way.key };
      if (!endsRun(graph, way)) take({ node: way.to, memory, well, from });
      else if (well && !ends.has(memory))
        ends.set(memory, { path: pathTo(graph, from), stopId: graph.steps[way.to]?.id ?? null });
    }
  }
  return ends;
}

function endsWell(visit: Visit, step: PlanStep, { key }: WayOut): boolean {
  return step.opcode === 'ROLLBACK' && key === 'completed' ? visit.well : isSuccessKey(key);
}

function pathTo(graph: PlanGraph, last: NonNullable<Visit['from']>): readonly PathStep[] {
  const path: PathStep[] = [];
  for (let from: Visit['from'] = last; from !== null; from = from.visit.from) {
    path.push({ stepId: graph.steps[from.visit.node]?.id ?? '', key: from.key });
  }
  return path.reverse();
}
