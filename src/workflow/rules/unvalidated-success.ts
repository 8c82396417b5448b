import { STOP } from '../../contracts/vocabulary.ts';
import { type Rule, type RuleContext, valuePlace } from '../rule.ts';
import type { Edge } from '../workflow-graph.ts';
import { nameStep } from '../workflow-view.ts';

/** Keys that end a run well when they lead to STOP. */
const SUCCESSES = new Set(['completed', 'success', 'gate_approved']);
const FAILURES = new Set(['error', 'killed_timeout', 'killed_idle', 'killed_policy']);

/** The first edge of a way to a successful end on which nothing is validated and no agent works. */
type Ways = ReadonlyMap<number, Edge>;

export const unvalidatedSuccessRule: Rule = {
  workflow: (context) => {
    const { view, graph, report } = context;
    if (graph.entry === null || !view.steps.some((step) => step.opcode === 'RUN_VALIDATION')) return;
    const reached = graph.reach([graph.entry]);
    const ways = findWays(context);
    for (const step of view.steps) {
      const edge = ways.get(step.index);
      if (step.opcode !== 'RUN_AGENT' || edge === undefined || !reached.has(step.index)) continue;
      report('WF405', {
        message: `the run can succeed after ${nameStep(step)} without a validation`,
        at: edge.path === null ? valuePlace(step.path, 'id') : valuePlace(edge.path),
        notes: [`the way is ${describeWay(step.index, ways, context)}`],
        help: 'put a RUN_VALIDATION step on this way',
      });
    }
  },
};

/** Backwards from the successful ends, so that the whole costs one look at every edge. */
function findWays({ view, graph }: RuleContext): Ways {
  const ways = new Map<number, Edge>();
  const queue: number[] = [];
  const incoming = new Map<number, { from: number; edge: Edge }[]>();
  const take = (from: number, edge: Edge): void => {
    const opcode = view.steps[from]?.opcode;
    // A validation makes what follows validated; a rollback leaves nothing to validate.
    if (ways.has(from) || opcode === 'RUN_VALIDATION' || opcode === 'ROLLBACK' || opcode === null) return;
    ways.set(from, edge);
    if (opcode !== 'RUN_AGENT') queue.push(from);
  };
  for (const [from, edges] of graph.edges.entries()) {
    for (const edge of edges) {
      if (FAILURES.has(edge.key)) continue;
      const list = incoming.get(edge.to);
      if (list === undefined) incoming.set(edge.to, [{ from, edge }]);
      else list.push({ from, edge });
      if (graph.endsRun(edge) && SUCCESSES.has(edge.key)) take(from, edge);
    }
  }
  for (let node = queue.shift(); node !== undefined; node = queue.shift()) {
    for (const { from, edge } of incoming.get(node) ?? []) take(from, edge);
  }
  return ways;
}

function describeWay(start: number, ways: Ways, { view }: RuleContext): string {
  const words: string[] = [];
  let node = start;
  for (let edge = ways.get(node); edge !== undefined; edge = ways.get(node)) {
    words.push(`${view.steps[node]?.id ?? node + 1} (${edge.key})`);
    node = edge.to;
  }
  const end = view.steps[node]?.id ?? STOP;
  return `${words.join(' -> ')} -> ${end}`;
}
