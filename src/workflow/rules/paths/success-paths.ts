import { STOP } from '../../../contracts/vocabulary.ts';
import type { RuleContext } from '../../rule.ts';
import type { Edge } from '../../workflow-graph.ts';
import type { WorkflowStepView } from '../../workflow-view.ts';

/** Keys whose routes to STOP end a run successfully. */
const SUCCESSES = new Set(['completed', 'success', 'gate_approved']);

/** By step: the first edge of a path to a successful end without another agent step. */
export type SuccessPaths = ReadonlyMap<number, Edge>;

/** Searches backwards from the successful ends over the edges that pass, so that each edge is visited once. */
export function findSuccessPaths(
  { view, graph }: RuleContext,
  passes: (step: WorkflowStepView, edge: Edge) => boolean,
): SuccessPaths {
  const paths = new Map<number, Edge>();
  const queue: number[] = [];
  const incoming = new Map<number, { from: number; edge: Edge }[]>();
  const take = (from: number, edge: Edge): void => {
    if (paths.has(from)) return;
    paths.set(from, edge);
    if (view.steps[from]?.opcode !== 'RUN_AGENT') queue.push(from);
  };
  for (const step of view.steps) {
    for (const edge of graph.edges[step.index] ?? []) {
      if (!passes(step, edge)) continue;
      const list = incoming.get(edge.to);
      if (list === undefined) incoming.set(edge.to, [{ from: step.index, edge }]);
      else list.push({ from: step.index, edge });
      if (graph.isRunEnd(edge) && SUCCESSES.has(edge.key)) take(step.index, edge);
    }
  }
  for (const node of queue) for (const { from, edge } of incoming.get(node) ?? []) take(from, edge);
  return paths;
}

/** Longer paths are truncated in messages. */
const MAX_SHOWN_STEPS = 100;

export function describePath(start: number, paths: SuccessPaths, { view }: RuleContext): string {
  const parts: string[] = [];
  let node = start;
  for (let edge = paths.get(node); edge !== undefined; edge = paths.get(node)) {
    if (parts.length === MAX_SHOWN_STEPS) return `${parts.join(' -> ')} -> …`;
    parts.push(`${view.steps[node]?.id ?? node + 1} (${edge.key})`);
    node = edge.to;
  }
  const end = view.steps[node]?.id ?? STOP;
  return `${parts.join(' -> ')} -> ${end}`;
}
