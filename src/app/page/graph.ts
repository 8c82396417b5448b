import type { GraphDocument } from '../../contracts/http/run-page.ts';
import type { LifecycleState } from '../../contracts/vocabulary.ts';
import type { Plan } from '../../kernel/plan.ts';
import type { RunView } from '../../runtime/record/run-view.ts';
import { buildFlowGraph, type FlowEdge, type FlowGraph } from '../../workflow/graph/flow-graph.ts';
import { toneOf } from '../../workflow/graph/node-text.ts';
import { type Layout, layoutGraph, type Point } from '../../workflow/graph/svg-layout.ts';
import { attemptName } from '../runs/open-run.ts';

/** The graph of a workflow, laid out as in `conductor graph --format svg`. */
export function drawWorkflow(plan: Plan): GraphDocument {
  return draw(buildFlowGraph(plan), null);
}

/** The same with what a run has taken of it, where it is, and what it can still reach. */
export function drawRun(plan: Plan, view: RunView): GraphDocument {
  const graph = buildFlowGraph(plan);
  return draw(graph, traceRun(graph, view));
}

interface Trace {
  /** How often the run has entered each node. */
  readonly visits: readonly number[];
  readonly times: ReadonlyMap<FlowEdge, number>;
  /** Null once the run has ended. */
  readonly currentNode: number | null;
  readonly currentEdge: FlowEdge | null;
  readonly reachable: ReadonlySet<number>;
  /** The last attempt at each step. */
  readonly keys: ReadonlyMap<string, string>;
}

type State = GraphDocument['nodes'][number]['state'];

function draw(graph: FlowGraph, trace: Trace | null): GraphDocument {
  const layout = layoutGraph(graph);
  const stateOf = (isCurrent: boolean, taken: number, isReachable: boolean): State => {
    if (trace === null) return 'possible';
    if (isCurrent) return 'current';
    if (taken > 0) return 'taken';
    return isReachable ? 'possible' : 'untaken';
  };
  return {
    width: layout.width,
    height: layout.height,
    nodes: layout.boxes.map(({ node, lines, x, y, width, height }, at) => ({
      id: node.id,
      opcode: node.opcode,
      lines: [...lines],
      entry: node.entry,
      x,
      y,
      width,
      height,
      tone: toneOf(node),
      state: stateOf(at === trace?.currentNode, trace?.visits[at] ?? 0, trace?.reachable.has(at) ?? true),
      visits: trace?.visits[at] ?? 0,
      key: trace?.keys.get(node.id) ?? null,
    })),
    edges: layout.labels.map((label) => {
      const { edge, lines, x, y } = label;
      const times = trace?.times.get(edge) ?? 0;
      return {
        from: graph.nodes[edge.from]?.id ?? '',
        to: graph.nodes[edge.to]?.id ?? '',
        label: [...lines],
        label_at: { x, y },
        points: pointsOf(layout, edge, label.bottom),
        back: edge.back,
        state: stateOf(edge === trace?.currentEdge, times, trace?.reachable.has(edge.from) ?? true),
        times,
      };
    }),
  };
}

/** Edges to the same target share segments below their labels; each edge of the document has its whole line. */
function pointsOf({ loops, pieces }: Layout, edge: FlowEdge, bottom: Point): Point[] {
  const loop = loops.find((each) => each.edge === edge);
  if (loop !== undefined) return [...loop.points];
  const points: Point[] = [bottom];
  const next = (from: Point) =>
    pieces.find(
      ({ target, points: [first] }) =>
        target === edge.to && first !== undefined && first.x === from.x && first.y === from.y,
    );
  for (let piece = next(bottom); piece !== undefined; ) {
    const rest = piece.points.slice(1);
    points.push(...rest);
    const end = rest.at(-1);
    piece = piece.arrow || end === undefined ? undefined : next(end);
  }
  return points;
}

function traceRun(graph: FlowGraph, view: RunView): Trace {
  const index = new Map(graph.nodes.map(({ id }, at) => [id, at]));
  const visits = graph.nodes.map(() => 0);
  const times = new Map<FlowEdge, number>();
  const keys = new Map<string, string>();
  for (const step of view.steps) {
    const at = index.get(step.stepId);
    if (at !== undefined && !step.recovery) visits[at] = (visits[at] ?? 0) + 1;
    keys.set(step.stepId, attemptName(step));
  }
  let lastEdge: FlowEdge | null = null;
  for (const route of view.routes) {
    const edge = findEdge(graph, index, route, view.end?.lifecycle ?? null);
    lastEdge = edge;
    if (edge === null) continue;
    times.set(edge, (times.get(edge) ?? 0) + 1);
    if (isPlainEnd(graph, edge.to)) visits[edge.to] = (visits[edge.to] ?? 0) + 1;
  }
  const last = view.steps.at(-1);
  const currentNode = view.end !== null || last === undefined ? null : (index.get(last.stepId) ?? null);
  return {
    visits,
    times,
    currentNode,
    currentEdge: currentNode !== null && lastEdge?.to === currentNode ? lastEdge : null,
    reachable: currentNode === null ? new Set() : findReachable(graph, currentNode),
    keys,
  };
}

/** A node for the end that plain STOP leads to, and not a step. */
function isPlainEnd(graph: FlowGraph, at: number): boolean {
  return graph.nodes[at]?.id.includes(' ') === true;
}

function findEdge(
  graph: FlowGraph,
  index: ReadonlyMap<string, number>,
  { from, key, to }: RunView['routes'][number],
  lifecycle: LifecycleState | null,
): FlowEdge | null {
  const candidates = graph.edges.filter(
    (edge) =>
      edge.from === index.get(from) &&
      edge.keys.some((each) => each === key) &&
      (index.has(to) ? edge.to === index.get(to) : isPlainEnd(graph, edge.to)),
  );
  const ending = candidates.find((edge) => graph.nodes[edge.to]?.lifecycles[0] === lifecycle);
  return ending ?? candidates[0] ?? null;
}

function findReachable(graph: FlowGraph, from: number): ReadonlySet<number> {
  const found = new Set([from]);
  const queue = [from];
  for (let at = queue.pop(); at !== undefined; at = queue.pop())
    for (const edge of graph.edges)
      if (edge.from === at && !found.has(edge.to)) {
        found.add(edge.to);
        queue.push(edge.to);
      }
  return found;
}
