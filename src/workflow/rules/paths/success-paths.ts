import { STOP } from '../../../contracts/vocabulary.ts';
import type { RuleContext } from '../../rule.ts';
import type { Edge } from '../../workflow-graph.ts';
import type { StepView } from '../../workflow-view.ts';

/** Keys whose routes to STOP end a run successfully. */
const SUCCESSES = new Set(['completed', 'success', 'gate_approved']);

/** By step: the first edge of a path to a successful end without another agent step. */
export type Ways = ReadonlyMap<number, Edge>;

/** Searches backwards from the successful ends over the edges that pass, so that each edge is visited once. */
export function findWays(
  { view, graph }: RuleContext,
  passes: (step: StepView, edge: Edge) => boolean,
): Ways {
  const ways = new Map<number, Edge>();
  const queue: number[] = [];
  const incoming = new Map<number, { from: number; edge: Edge }[]>();
  const take = (from: number, edge: Edge): void => {
    if (ways.has(from)) return;
    ways.set(from, edge);
    if (view.steps[from]?.opcode !== 'RUN_AGENT') queue.push(from);
  };
  for (const step of view.steps) {
    for (const edge of graph.edges[step.index] ?? []) {
      if (!passes(step, edge)) continue;
      const list = incoming.get(edge.to);
      if (list === undefined) incoming.set(edge.to, [{ from: step.index, edge }]);
      else list.push({ from: step.index, edge });
      if (graph.endsRun(edge) && SUCCESSES.has(edge.key)) take(step.index, edge);
    }
  }
  for (const node of queue) for (const { from, edge } of incoming.get(node) ?? []) take(from, edge);
  return ways;
}

/** Longer paths are truncated in messages. */
const MAX_SHOWN_STEPS = 100;

export function describeWay(start: number, ways: Ways, { view }: RuleContext): string {
  const words: string[] = [];
  let node = start;
  for (let edge = ways.get(node); edge !== undefined; edge = ways.get(node)) {
    if (words.length === MAX_SHOWN_STEPS) return `${words.join(' -> ')} -> …`;
    words.push(`${view.steps[node]?.id ?? node + 1} (${edge.key})`);
    node = edge.to;
  }
  const end = view.steps[node]?.id ?? STOP;
  return `${words.join(' -> ')} -> ${end}`;
}
