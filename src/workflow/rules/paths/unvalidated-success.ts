import { type Rule, type RuleContext, valuePlace } from '../../rule.ts';
import { nameStep } from '../../workflow-view.ts';
import { describeWay, findWays, type Ways } from './success-paths.ts';

const FAILURES = new Set(['error', 'killed_timeout', 'killed_idle', 'killed_policy']);

export const unvalidatedSuccessRule: Rule = {
  workflow: (context) => {
    const { view, graph, report } = context;
    if (graph.entry === null) return;
    const reached = graph.reach([graph.entry]);
    const ways = findUnvalidatedWays(context);
    for (const step of view.steps) {
      const edge = ways.get(step.index);
      if (step.opcode !== 'RUN_AGENT' || edge === undefined || !reached.has(step.index)) continue;
      report('WF405', {
        message: `the run can succeed after ${nameStep(step)} without a validation`,
        at: edge.path === null ? valuePlace(step.path, 'id') : valuePlace(edge.path),
        notes: () => [`the way is ${describeWay(step.index, ways, context)}`],
        help: 'put a RUN_VALIDATION step on this way',
      });
    }
  },
};

/** Paths to a successful end without a validation, in a workflow that has validation steps. */
export function findUnvalidatedWays(context: RuleContext): Ways {
  const known = waysByContext.get(context) ?? searchUnvalidatedWays(context);
  waysByContext.set(context, known);
  return known;
}

/** Cached, because two rules need the result. */
const waysByContext = new WeakMap<RuleContext, Ways>();

function searchUnvalidatedWays(context: RuleContext): Ways {
  if (!context.view.steps.some((step) => step.opcode === 'RUN_VALIDATION')) return new Map();
  return findWays(context, ({ opcode }, edge) => {
    // A path with a validation is validated; a rollback leaves nothing to validate.
    const settles = opcode === 'RUN_VALIDATION' || opcode === 'ROLLBACK' || opcode === null;
    return !settles && !FAILURES.has(edge.key);
  });
}
