import { warningCode } from '../../../diagnostics/codes.ts';
import { defineRule, type RuleContext, valuePlace } from '../../rule.ts';
import { UNRESOLVED_NODE, type WorkflowGraph } from '../../workflow-graph.ts';
import { nameStep } from '../../workflow-view.ts';

/** Reports a validation that has no effect: the run continues on pass and on failure, and no EVALUATE follows. */
export const unevaluatedValidationsRule = defineRule({
  codes: { WF406: warningCode('the result of a validation has no effect') },
  workflow: (context) => {
    const unevaluated = findUnevaluated(context);
    for (const step of context.view.steps) {
      if (!unevaluated.has(step.index)) continue;
      const { path } = step;
      context.report('WF406', {
        message: `the run continues whether ${nameStep(step)} passes or fails, and no EVALUATE follows`,
        at: valuePlace(path, 'routes', 'error'),
        related: [{ message: 'the route if it passes', at: valuePlace(path, 'routes', 'completed') }],
        help: 'route both to an EVALUATE step, or `error` to STOP',
      });
    }
  },
});

/** Validations whose outcomes both lead to another step and from which no EVALUATE is reachable. */
export function findUnevaluated(context: RuleContext): ReadonlySet<number> {
  const known = unevaluatedByGraph.get(context.graph) ?? searchUnevaluated(context);
  unevaluatedByGraph.set(context.graph, known);
  return known;
}

/** Cached, because two rules need the result. */
const unevaluatedByGraph = new WeakMap<WorkflowGraph, ReadonlySet<number>>();

function searchUnevaluated({ view, graph }: RuleContext): ReadonlySet<number> {
  // An unreadable step or an unknown target could be an EVALUATE.
  const evaluating = view.steps.filter(
    (step) =>
      step.opcode === 'EVALUATE' ||
      step.opcode === null ||
      graph.edges[step.index]?.some((edge) => edge.to === UNRESOLVED_NODE),
  );
  const evaluated = graph.nodesReaching(evaluating.map((step) => step.index));
  // closedLoopsRule reports a loop that only failures leave.
  const finished = graph.nodesReaching(
    view.steps
      .filter((step) => graph.edges[step.index]?.some((edge) => graph.isRunEnd(edge) && isPlanned(edge.key)))
      .map((step) => step.index),
  );
  const unevaluated = view.steps.filter((step) => {
    if (step.opcode !== 'RUN_VALIDATION' || evaluated.has(step.index) || !finished.has(step.index))
      return false;
    const onward = (graph.edges[step.index] ?? []).filter(
      ({ key }) => key === 'completed' || key === 'error',
    );
    return onward.length === 2 && !onward.some((edge) => edge.path === null || graph.isRunEnd(edge));
  });
  return new Set(unevaluated.map((step) => step.index));
}

function isPlanned(key: string): boolean {
  return key !== 'error' && !key.startsWith('killed_');
}
