import { type Rule, type RuleContext, valuePlace } from '../../rule.ts';
import { LOOSE_NODE } from '../../workflow-graph.ts';
import { nameStep } from '../../workflow-view.ts';

/** Reports a validation that has no effect: the run continues on pass and on failure, and no EVALUATE follows. */
export const unjudgedValidationsRule: Rule = {
  workflow: (context) => {
    const unjudged = findUnjudged(context);
    for (const step of context.view.steps) {
      if (!unjudged.has(step.index)) continue;
      const { path } = step;
      context.report('WF406', {
        message: `the run goes on whether ${nameStep(step)} passes or fails, and no EVALUATE judges it`,
        at: valuePlace(path, 'routes', 'error'),
        related: [
          { message: 'where it goes on when it passes', at: valuePlace(path, 'routes', 'completed') },
        ],
        help: 'lead both to an EVALUATE step, or `error` to STOP',
      });
    }
  },
};

/** Validations whose outcomes both lead to another step and from which no EVALUATE is reachable. */
export function findUnjudged(context: RuleContext): ReadonlySet<number> {
  const known = unjudgedByContext.get(context) ?? searchUnjudged(context);
  unjudgedByContext.set(context, known);
  return known;
}

/** Cached, because two rules need the result. */
const unjudgedByContext = new WeakMap<RuleContext, ReadonlySet<number>>();

function searchUnjudged({ view, graph }: RuleContext): ReadonlySet<number> {
  // An unreadable step or an unknown target could be an EVALUATE.
  const judges = view.steps.filter(
    (step) =>
      step.opcode === 'EVALUATE' ||
      step.opcode === null ||
      graph.edges[step.index]?.some((edge) => edge.to === LOOSE_NODE),
  );
  const judged = graph.reachBack(judges.map((step) => step.index));
  // closedLoopsRule reports a loop that only failures leave.
  const finished = graph.reachBack(
    view.steps
      .filter((step) => graph.edges[step.index]?.some((edge) => graph.endsRun(edge) && isPlanned(edge.key)))
      .map((step) => step.index),
  );
  const unjudged = view.steps.filter((step) => {
    if (step.opcode !== 'RUN_VALIDATION' || judged.has(step.index) || !finished.has(step.index)) return false;
    const onward = (graph.edges[step.index] ?? []).filter(
      ({ key }) => key === 'completed' || key === 'error',
    );
    return onward.length === 2 && !onward.some((edge) => edge.path === null || graph.endsRun(edge));
  });
  return new Set(unjudged.map((step) => step.index));
}

function isPlanned(key: string): boolean {
  return key !== 'error' && !key.startsWith('killed_');
}
