import {
  type LifecycleState,
  type Opcode,
  type RouteKey,
  STOP,
  TERMINATIONS,
} from '../../contracts/vocabulary.ts';
import { decideEnd } from '../../kernel/ending.ts';
import type { Plan, PlanStep, Target } from '../../kernel/plan.ts';
import { INITIAL_STATE } from '../../kernel/state.ts';
import { findBackEdges } from './flow-layers.ts';

/** A step, or the end that routes to plain STOP lead to. */
export interface FlowNode {
  /** The id of the step. The id of an end contains a space, which step ids can't contain. */
  readonly id: string;
  readonly opcode: Opcode;
  readonly detail: string | null;
  /** The states in which a run can end here; empty if it doesn't end here. */
  readonly lifecycles: readonly LifecycleState[];
  readonly entry: boolean;
}

/** All routes from one node to another. */
export interface FlowEdge {
  readonly from: number;
  readonly to: number;
  readonly keys: readonly RouteKey[];
  /** Whether the edge closes a loop. */
  readonly back: boolean;
}

export interface FlowGraph {
  readonly title: string;
  readonly description: string;
  readonly nodes: readonly FlowNode[];
  readonly edges: readonly FlowEdge[];
}

const ENDS = ['completed', 'blocked', 'failed'] as const satisfies readonly LifecycleState[];

/** Builds the graph that the renderers draw. There is one end per lifecycle state. */
export function buildFlowGraph(plan: Plan): FlowGraph {
  const routes = plan.steps.map(routesOf);
  const arrivals = findArrivals(plan, routes);
  const nodes: FlowNode[] = plan.steps.map((step) => ({
    id: step.id,
    opcode: step.opcode,
    detail: describeDetail(step),
    lifecycles: step.opcode === 'STOP' ? listLifecycles(plan, arrivals.get(step.id) ?? new Set()) : [],
    entry: step.id === plan.entryStep,
  }));
  const index = new Map(nodes.map((node, at) => [node.id, at]));
  const findOrAddEnd = (lifecycle: LifecycleState): number => {
    const id = `${STOP} ${lifecycle}`;
    const known = index.get(id);
    if (known !== undefined) return known;
    nodes.push({ id, opcode: 'STOP', detail: null, lifecycles: [lifecycle], entry: false });
    index.set(id, nodes.length - 1);
    return nodes.length - 1;
  };
  const edges = plan.steps.flatMap((step, from) => {
    const keysByTarget = new Map<number, RouteKey[]>();
    for (const [key, target] of routes[from] ?? []) {
      const found = index.get(target);
      const ends = () => {
        const passed = keysAfter(step, key, arrivals.get(step.id) ?? new Set());
        // An unreachable rollback has no arriving keys, so fall back to its own key.
        return listLifecycles(plan, passed.size === 0 ? new Set([key]) : passed).map(findOrAddEnd);
      };
      for (const to of found === undefined ? ends() : [found])
        keysByTarget.set(to, [...(keysByTarget.get(to) ?? []), key]);
    }
    return [...keysByTarget].map(([to, keys]) => ({ from, to, keys }));
  });
  const entry = index.get(plan.entryStep) ?? 0;
  const back = findBackEdges(nodes.length, edges, entry);
  return {
    title: plan.workflowId,
    description: plan.description,
    nodes,
    edges: edges.map((edge, at) => ({ ...edge, back: back.has(at) })),
  };
}

type Routes = readonly (readonly [RouteKey, Target])[];

function routesOf(step: PlanStep): Routes {
  if (step.opcode === 'STOP') return [];
  const written: Readonly<Record<string, Target | null>> = step.routes;
  return TERMINATIONS.flatMap((key): Routes => {
    if (key === 'workflow_error' || key === 'budget' || key === 'cancelled') return [];
    const target = Object.hasOwn(written, key) ? written[key] : null;
    return target === null || target === undefined ? [] : [[key, target]];
  });
}

/** The route keys that a run can enter each step with. A completed rollback passes on the keys it was entered with. */
function findArrivals(plan: Plan, routes: readonly Routes[]): ReadonlyMap<string, ReadonlySet<RouteKey>> {
  const arrivals = new Map<string, Set<RouteKey>>(plan.steps.map((step) => [step.id, new Set()]));
  const indexOf = new Map(plan.steps.map((step, at) => [step.id, at]));
  arrivals.get(plan.entryStep)?.add('completed');
  const queue = plan.steps.map((_, at) => at);
  for (let at = queue.pop(); at !== undefined; at = queue.pop()) {
    const step = plan.steps[at];
    if (step === undefined) continue;
    for (const [key, target] of routes[at] ?? []) {
      const known = arrivals.get(target);
      const before = known?.size;
      for (const passed of keysAfter(step, key, arrivals.get(step.id) ?? new Set())) known?.add(passed);
      const next = indexOf.get(target);
      if (known?.size !== before && next !== undefined && plan.steps[next]?.opcode === 'ROLLBACK')
        queue.push(next);
    }
  }
  return arrivals;
}

function keysAfter(step: PlanStep, key: RouteKey, arrived: ReadonlySet<RouteKey>): ReadonlySet<RouteKey> {
  return step.opcode === 'ROLLBACK' && key === 'completed' ? arrived : new Set([key]);
}

/** Uses the kernel's own logic, so that a diagram can't show another end than a run would have. */
function listLifecycles(plan: Plan, keys: ReadonlySet<RouteKey>): LifecycleState[] {
  const stage = { kind: 'running', stepId: STOP, opcode: 'STOP', attempt: 1, visit: 1 } as const;
  const found = new Set([...keys].map((via) => decideEnd(plan, { ...INITIAL_STATE, via, stage })?.lifecycle));
  return ENDS.filter((lifecycle) => found.has(lifecycle));
}

function describeDetail(step: PlanStep): string | null {
  switch (step.opcode) {
    case 'RUN_AGENT':
      return step.agent;
    case 'RUN_VALIDATION':
      return step.validators.map((validator) => validator.id).join(', ');
    case 'EVALUATE':
      return step.revision === null ? null : `revisions: ${step.revision.maxAttempts}`;
    case 'GATE':
      return step.gate;
    case 'ROLLBACK':
      return step.target;
    case 'STOP':
      return step.reason;
  }
}
