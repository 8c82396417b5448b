import { PLANNER_STATUSES, type RouteKey } from '../../contracts/vocabulary.ts';
import type { Plan, PlanStep, Target } from '../../kernel/plan.ts';
import { findComponents } from '../components.ts';

/** Target of a route to plain STOP. */
export const END = -1;

const KILLS = ['killed_idle', 'killed_timeout', 'killed_policy'] as const;

export interface OutgoingRoute {
  readonly key: RouteKey;
  /** The index of a step, or `END`. */
  readonly to: number;
}

/** The graph of a plan. Nodes are step indexes; edges are the routes that a run can take. */
export interface PlanGraph {
  readonly steps: readonly PlanStep[];
  readonly entry: number;
  readonly outgoing: readonly (readonly OutgoingRoute[])[];
  readonly reached: ReadonlySet<number>;
  /** Strongly connected components of the reached steps; each comes after its successors. */
  readonly components: readonly (readonly number[])[];
  readonly componentOf: ReadonlyMap<number, number>;
  /** Steps that can lead back to themselves. */
  readonly looping: ReadonlySet<number>;
}

export function buildPlanGraph(plan: Plan): PlanGraph {
  const indexes = new Map(plan.steps.map((step, index) => [step.id, index]));
  const resolve = (target: Target): number => indexes.get(target) ?? END;
  const outgoing = plan.steps.map((step) => listOutgoing(step, resolve));
  const entry = resolve(plan.entryStep);
  const reached = reach(entry, outgoing);
  const successors = outgoing.map((routes, node) => (reached.has(node) ? routes.map(({ to }) => to) : []));
  const components = findComponents(successors).filter(([node]) => reached.has(node ?? END));
  const componentOf = new Map(
    components.flatMap((component, index) => component.map((node) => [node, index])),
  );
  const looping = new Set(
    components.flatMap((component) =>
      component.length > 1 ? component : component.filter((node) => successors[node]?.includes(node)),
    ),
  );
  return { steps: plan.steps, entry, outgoing: outgoing, reached, components, componentOf, looping };
}

/** Whether a route ends the run, at plain STOP or at a declared STOP step. */
export function endsRun(graph: PlanGraph, { to }: OutgoingRoute): boolean {
  return to === END || graph.steps[to]?.opcode === 'STOP';
}

/**
 * The routes of a step that a run can take. A gate without a timeout never times out. A kill route with the same
 * target as `error` is omitted, because no proof distinguishes them.
 */
function listOutgoing(step: PlanStep, resolve: (target: Target) => number): readonly OutgoingRoute[] {
  const outgoing: OutgoingRoute[] = [];
  const add = (key: RouteKey, target: Target | null): void => {
    if (target !== null) outgoing.push({ key, to: resolve(target) });
  };
  switch (step.opcode) {
    case 'RUN_AGENT':
    case 'RUN_VALIDATION':
    case 'ROLLBACK': {
      const { routes } = step;
      add('completed', routes.completed);
      add('error', routes.error);
      for (const key of KILLS) if (routes[key] !== routes.error) add(key, routes[key]);
      return outgoing;
    }
    case 'EVALUATE':
      for (const status of PLANNER_STATUSES) add(status, step.routes[status]);
      return outgoing;
    case 'GATE':
      add('gate_approved', step.routes.gate_approved);
      add('gate_rejected', step.routes.gate_rejected);
      if (step.timeoutMs !== null) add('gate_timed_out', step.routes.gate_timed_out);
      add('error', step.routes.error);
      return outgoing;
    case 'STOP':
      return outgoing;
  }
}

function reach(entry: number, outgoing: readonly (readonly OutgoingRoute[])[]): ReadonlySet<number> {
  if (entry === END) return new Set();
  const seen = new Set([entry]);
  const queue = [entry];
  for (let node = queue.pop(); node !== undefined; node = queue.pop()) {
    for (const { to } of outgoing[node] ?? []) {
      if (to === END || seen.has(to)) continue;
      seen.add(to);
      queue.push(to);
    }
  }
  return seen;
}
