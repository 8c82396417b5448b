import { END, type PlanGraph } from './plan-graph.ts';

/** Average iterations per loop step after which the bounds are accepted as they are. */
const MAX_ITERATIONS = 32;

/** Where the visits of one step of a loop come from. */
interface Inflow {
  /** The run can enter the loop at this step, or start here. */
  readonly outside: boolean;
  /** Steps of the loop that lead here by a route without a revision cap. */
  readonly free: readonly number[];
  /** EVALUATE steps that lead here only as a counted revision. */
  readonly counted: readonly number[];
  /** The highest revision cap among the `counted` steps. */
  readonly cap: number;
  /** Successors of this step in the loop. */
  readonly onward: readonly number[];
}

/**
 * Bounds how often each step can be visited in one run. Indexed like the steps; 0 means never.
 *
 * A run is one walk. A step outside all loops is visited once. A strongly connected group is entered from outside
 * once, because a run that leaves it can't return. After that, every visit of a step uses up the end of one visit of a
 * predecessor in the group, and each visit ends once. So for the actual counts n of any run, with max_visits and
 * revision caps (which the kernel counts per refining step):
 *
 *   n(s) <= min(max_visits(s), outside(s) + sum of n(p) over free p + min(cap, sum of n(e) over counted e))
 *
 * And every visit except the last one of the group is followed by a visit of a successor, which the run then doesn't
 * enter from outside:
 *
 *   n(s) <= 1 + sum over t that s leads to of (n(t), less 1 where the group can only be entered at t)
 *
 * Both right sides are monotonic in n. So starting from max_visits, an upper bound of every actual n, and repeatedly
 * replacing a bound with the smaller right side never goes below an actual n. Stopping early is therefore sound, and
 * the number of iterations is bounded.
 */
export function boundVisits(graph: PlanGraph): readonly number[] {
  const bounds = graph.steps.map((step, node) => {
    if (!graph.reached.has(node)) return 0;
    return graph.looping.has(node) ? step.maxVisits : 1;
  });
  const inflows = collectInflows(graph);
  for (const component of graph.components) tighten(component, bounds, inflows);
  return bounds;
}

function tighten(component: readonly number[], bounds: number[], inflows: ReadonlyMap<number, Inflow>): void {
  const sum = (nodes: readonly number[]) => nodes.reduce((total, node) => total + (bounds[node] ?? 0), 0);
  const queue = component.filter((node) => inflows.has(node));
  const waiting = new Set(queue);
  const most = queue.length * MAX_ITERATIONS;
  const doors = queue.filter((node) => inflows.get(node)?.outside);
  const door = doors.length === 1 ? doors[0] : undefined;
  for (let at = 0; at < queue.length && at < most; at += 1) {
    const node = queue[at] ?? END;
    waiting.delete(node);
    const inflow = inflows.get(node);
    if (inflow === undefined) continue;
    const fed = (inflow.outside ? 1 : 0) + sum(inflow.free) + Math.min(inflow.cap, sum(inflow.counted));
    const entered = inflow.onward.some((to) => to === door) ? 1 : 0;
    const followed = 1 + sum(inflow.onward) - entered;
    const bound = Math.min(fed, followed);
    if (bound >= (bounds[node] ?? 0)) continue;
    bounds[node] = bound;
    for (const other of [...inflow.onward, ...inflow.free, ...inflow.counted]) {
      if (waiting.has(other)) continue;
      waiting.add(other);
      queue.push(other);
    }
  }
}

function collectInflows(graph: PlanGraph): ReadonlyMap<number, Inflow> {
  const open = new Map<number, OpenInflow>();
  for (const node of graph.looping) {
    const outside = node === graph.entry;
    open.set(node, { outside, free: new Set(), counted: new Map(), onward: new Set() });
  }
  for (const from of graph.reached) {
    const step = graph.steps[from];
    for (const { key, to } of graph.outgoing[from] ?? []) {
      const inflow = open.get(to);
      if (inflow === undefined || step === undefined) continue;
      if (graph.componentOf.get(from) !== graph.componentOf.get(to)) {
        inflow.outside = true;
        continue;
      }
      open.get(from)?.onward.add(to);
      const revision = step.opcode === 'EVALUATE' && key === 'partial' ? step.revision : null;
      if (revision !== null && revision.step === graph.steps[to]?.id)
        inflow.counted.set(from, revision.maxAttempts);
      else inflow.free.add(from);
    }
  }
  return new Map([...open].map(([node, inflow]) => [node, closeInflow(inflow)]));
}

interface OpenInflow {
  outside: boolean;
  readonly free: Set<number>;
  readonly counted: Map<number, number>;
  readonly onward: Set<number>;
}

/** Drops an EVALUATE from `counted` if it also leads here by another status, because that route has no cap. */
function closeInflow({ outside, free, counted, onward }: OpenInflow): Inflow {
  const only = [...counted].filter(([node]) => !free.has(node));
  return {
    outside,
    free: [...free],
    counted: only.map(([node]) => node),
    cap: only.reduce((most, [, attempts]) => Math.max(most, attempts), 0),
    onward: [...onward],
  };
}
