import { STOP } from '../contracts/vocabulary.ts';
import { resolveTarget, type WorkflowStepView, type WorkflowView } from './workflow-view.ts';
import type { Path } from './yaml/yaml-tree.ts';

/** Target of an edge that ends the run. */
export const STOP_NODE = -1;
/** Target of a route that is missing or unknown: it could have been meant for any step. */
export const UNRESOLVED_NODE = -2;

export interface Edge {
  readonly key: string;
  /** The index of a step, or `STOP_NODE` or `LOOSE_NODE`. */
  readonly to: number;
  /** Null if the document doesn't contain the route: it is a default or missing. */
  readonly path: Path | null;
}

/** The graph of steps and their `routes`. Nodes are step indexes. */
export interface WorkflowGraph {
  readonly edges: readonly (readonly Edge[])[];
  readonly entry: number | null;
  readonly isRunEnd: (edge: Edge) => boolean;
  /** The nodes reachable from the roots, including the roots. */
  readonly reachableFrom: (roots: readonly number[]) => ReadonlySet<number>;
  /** The nodes that can reach one of the goals, including the goals. */
  readonly nodesReaching: (goals: readonly number[]) => ReadonlySet<number>;
}

const REQUIRED_ROUTES = {
  RUN_AGENT: ['completed', 'error'],
  RUN_VALIDATION: ['completed', 'error'],
  ROLLBACK: ['completed', 'error'],
  EVALUATE: ['success', 'partial', 'unsafe', 'needs_human'],
  GATE: ['gate_approved', 'gate_rejected'],
  STOP: [],
} as const;

export function buildGraph(view: WorkflowView): WorkflowGraph {
  const resolved = new Map<string, number>();
  const resolve = (target: string): number => {
    const known = resolved.get(target);
    if (known !== undefined) return known;
    const node = resolveNode(view, target);
    resolved.set(target, node);
    return node;
  };
  const edges = view.steps.map((step) => buildEdges(step, resolve));
  const ahead: (readonly number[])[] = [];
  const back: number[][] = view.steps.map(() => []);
  for (const [from, list] of edges.entries()) {
    ahead.push(list.map((edge) => edge.to));
    for (const { to } of list) back[to]?.push(from);
  }
  const entryNode = view.entryStep === null ? UNRESOLVED_NODE : resolve(view.entryStep);
  const entry = entryNode >= 0 ? entryNode : null;
  // Cached: most workflow rules ask which steps are reachable from the entry.
  let fromEntry: ReadonlySet<number> | null = null;
  return {
    edges,
    entry,
    isRunEnd: (edge) => edge.to === STOP_NODE || view.steps[edge.to]?.opcode === 'STOP',
    reachableFrom: (roots) => {
      if (roots.length !== 1 || roots[0] !== entry) return walk(roots, ahead);
      fromEntry ??= walk(roots, ahead);
      return fromEntry;
    },
    nodesReaching: (goals) => walk(goals, back),
  };
}

/** Resolves a misspelt target to its suggestion, so that a typo is not also reported as an unreachable step. */
function resolveNode(view: WorkflowView, target: string): number {
  const found = resolveTarget(view, target);
  switch (found.kind) {
    case 'step':
      return found.step.index;
    case 'stop':
      return STOP_NODE;
    case 'unknown': {
      if (found.suggestion === null) return UNRESOLVED_NODE;
      return view.stepsById.get(found.suggestion)?.index ?? STOP_NODE;
    }
  }
}

function buildEdges(step: WorkflowStepView, resolve: (target: string) => number): Edge[] {
  if (step.opcode === 'STOP') return [];
  const edges: Edge[] = step.routes.map(({ key, target, path }) => ({ key, to: resolve(target), path }));
  const hasRoute = (wanted: string) => edges.some(({ key }) => key === wanted);
  for (const key of step.opcode === null ? [] : REQUIRED_ROUTES[step.opcode]) {
    if (!hasRoute(key)) edges.push({ key, to: UNRESOLVED_NODE, path: null });
  }
  if (step.opcode === 'EVALUATE' && !hasRoute('blocked')) {
    edges.push({ key: 'blocked', to: resolve(STOP), path: null });
  }
  return edges;
}

function walk(
  roots: readonly number[],
  neighbours: readonly (readonly number[] | undefined)[],
): ReadonlySet<number> {
  const seen = new Set<number>(roots);
  const stack = [...seen];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    for (const to of neighbours[node] ?? []) {
      if (seen.has(to)) continue;
      seen.add(to);
      stack.push(to);
    }
  }
  return seen;
}
