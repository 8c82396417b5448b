import { END, type PlanGraph } from './plan-graph.ts';

/** How often the steps of a loop are looked at, on average, before their bounds are taken as they stand. */
const MAX_LOOKS = 32;

/** How the entries of one step are fed from within its own loop. */
interface Inflow {
  /** The run can come in from outside the loop, or start here. */
  readonly outside: boolean;
  /** Steps of the loop that lead here by a route nothing counts. */
  readonly free: readonly number[];
  /** EVALUATE steps that lead here only as a counted revision. */
  readonly counted: readonly number[];
  /** The most revisions by this step that any of those allows. */
  readonly cap: number;
}

/**
 * How often each step can be entered in one run, at most. Indexed like the steps; 0 is never.
 *
 * A run is one walk. A step on no loop is entered once. A group of steps that lead to each other is
 * entered from outside once, because what leaves it does not come back; after that, every entry of a step
 * uses up the end of an entry of a step of the group that leads to it, and an entry ends once. So for the
 * real numbers n of any run, with max_visits and revision caps (which the kernel counts per refining step):
 *
 *   n(s) <= min(max_visits(s), outside(s) + sum of n(p) over free p + min(cap, sum of n(e) over counted e))
 *
 * The right side grows with n, so starting from max_visits, which is above every real n, and putting the
 * right side in the place of the left any number of times never goes below a real n. Stopping early is
 * therefore sound, and the number of looks is bounded.
 */
export function boundEntries(graph: PlanGraph): readonly number[] {
  const bounds = graph.steps.map((step, node) => {
    if (!graph.reached.has(node)) return 0;
    return graph.looping.has(node) ? step.maxVisits : 1;
  });
  const inflows = collectInflows(graph);
  for (const component of graph.components) tighten(component, graph, bounds, inflows);
  return bounds;
}

function tighten(
  component: readonly number[],
  graph: PlanGraph,
  bounds: number[],
  inflows: ReadonlyMap<number, Inflow>,
): void {
  const sum = (nodes: readonly number[]) => nodes.reduce((total, node) => total + (bounds[node] ?? 0), 0);
  const queue = component.filter((node) => inflows.has(node));
  const waiting = new Set(queue);
  const most = queue.length * MAX_LOOKS;
  for (let at = 0; at < queue.length && at < most; at += 1) {
    const node = queue[at] ?? END;
    waiting.delete(node);
    const inflow = inflows.get(node);
    if (inflow === undefined) continue;
    const fed = (inflow.outside ? 1 : 0) + sum(inflow.free) + Math.min(inflow.cap, sum(inflow.counted));
    if (fed >= (bounds[node] ?? 0)) continue;
    bounds[node] = fed;
    for (const { to } of graph.waysOut[node] ?? []) {
      if (waiting.has(to) || graph.componentOf.get(to) !== graph.componentOf.get(node)) continue;
      waiting.add(to);
      queue.push(to);
    }
  }
}

function collectInflows(graph: PlanGraph): ReadonlyMap<number, Inflow> {
  const open = new Map<number, { outside: boolean; free: Set<number>; counted: Map<number, number> }>();
  for (const node of graph.looping) {
    open.set(node, { outside: node === graph.entry, free: new Set(), counted: new Map() });
  }
  for (const from of graph.reached) {
    const step = graph.steps[from];
    for (const { key, to } of graph.waysOut[from] ?? []) {
      const inflow = open.get(to);
      if (inflow === undefined || step === undefined) continue;
      const revision = step.opcode === 'EVALUATE' && key === 'partial' ? step.revision : null;
      if (graph.componentOf.get(from) !== graph.componentOf.get(to)) inflow.outside = true;
      else if (revision !== null && revision.step === graph.steps[to]?.id)
        inflow.counted.set(from, revision.maxAttempts);
      else inflow.free.add(from);
    }
  }
  return new Map(
    [...open].map(([node, { outside, free, counted }]) => [node, close(outside, free, counted)]),
  );
}

/** An EVALUATE that also leads here by another status can do so every time it is entered. */
function close(outside: boolean, free: ReadonlySet<number>, counted: ReadonlyMap<number, number>): Inflow {
  const only = [...counted].filter(([node]) => !free.has(node));
  return {
    outside,
    free: [...free],
    counted: only.map(([node]) => node),
    cap: only.reduce((most, [, attempts]) => Math.max(most, attempts), 0),
  };
}
