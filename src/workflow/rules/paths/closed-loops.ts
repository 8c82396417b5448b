import { warningCode } from '../../../diagnostics/codes.ts';
import { findComponents } from '../../components.ts';
import { defineRule, type RuleContext, valuePlace } from '../../rule.ts';
import { type Edge, STOP_NODE, UNRESOLVED_NODE } from '../../workflow-graph.ts';

/** Keys of failures, which do not count as planned exits from a loop. */
const FAILURES = new Set(['error', 'killed_timeout', 'killed_idle', 'killed_policy']);

export const closedLoopsRule = defineRule({
  codes: { WF403: warningCode('only max_visits ends a loop') },
  workflow: (context) => {
    const { view, graph, report } = context;
    if (graph.entry === null) return;
    const reached = graph.reachableFrom([graph.entry]);
    // If no STOP is reachable at all, another rule reports that, and every loop is a consequence.
    if (!reached.has(STOP_NODE) && ![...reached].some((node) => view.steps[node]?.opcode === 'STOP')) return;
    const successors = graph.edges.map((edges, node) =>
      reached.has(node) ? edges.map((edge) => edge.to) : [],
    );
    for (const loop of findComponents(successors)) {
      if (!isLoop(loop, successors)) continue;
      const exits = findExits(loop, context);
      if (exits.some((edge) => edge.to === UNRESOLVED_NODE || !FAILURES.has(edge.key))) continue;
      const steps = loop.flatMap((node) => view.steps[node] ?? []);
      const [first] = steps;
      if (first === undefined || steps.some((step) => step.opcode === null)) continue;
      const names = steps.map((step) => `\`${step.id ?? step.index + 1}\``).join(', ');
      report('WF403', {
        message: `only \`max_visits\` ends the loop of ${names}`,
        at: valuePlace(first.path, 'id'),
        notes: [exits.length === 0 ? 'no route leads out of it' : 'only failures lead out of it'],
        help: 'add a route that leaves the loop when the work is done',
      });
    }
  },
});

function isLoop(component: readonly number[], successors: readonly (readonly number[])[]): boolean {
  const [only] = component;
  if (component.length !== 1 || only === undefined) return component.length > 1;
  return successors[only]?.includes(only) ?? false;
}

function findExits(loop: readonly number[], { graph }: RuleContext): Edge[] {
  const inside = new Set(loop);
  return loop.flatMap((node) => (graph.edges[node] ?? []).filter((edge) => !inside.has(edge.to)));
}
