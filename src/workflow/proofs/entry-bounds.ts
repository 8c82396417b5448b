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
  /** Steps of the loop that this one leads to. */
  readonly onward: readonly number[];
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
 * And every entry of a step but the very last of the group is followed by one of a step that it leads to, which
 * the run then does not come to from outside:
 *
 *   n(s) <= 1 + sum over t that s leads to of (n(t), less 1 where the group can only be entered at t)
 *
 * Each right side grows with n, so starting from max_visits, which is above every real n, and putting the
 * smaller of them in the place of the left any number of times never goes below a real n. Stopping early is
 * therefore sound, and the number of looks is bounded.
 */
export function boundEntries(graph: PlanGraph): readonly number[] {
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
  const most = queue.length * MAX_LOOKS;
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
    for (const { key, to } of graph.waysOut[from] ?? []) {
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
  return new Map([...open].map(([node, inflow]) => [node, close(inflow)]));
}

interface OpenInflow {
  outside: boolean;
  readonly free: Set<number>;
  readonly counted: Map<number, number>;
  readonly onward: Set<number>;
}

/** An EVALUATE that also leads here by another status can do so every time it is entered. */
function close({ outside, free, counted, onward }: OpenInflow): Inflow {
  const only = [...counted].filter(([node]) => !free.has(node));
  return {
    outside,
    free: [...free],
    counted: only.map(([node]) => node),
    cap: only.reduce((most, [, attempts]) => Math.max(most, attempts), 0),
    onward: [...onward],
  };
}
