import { type Rule, type RuleContext, valuePlace } from '../rule.ts';
import { LOOSE_NODE } from '../workflow-graph.ts';
import { nameStep, type StepView } from '../workflow-view.ts';
import { describeWay, findWays, type Ways } from './successful-ways.ts';
import { findUnjudged } from './unjudged-validations.ts';
import { findUnvalidatedWays } from './unvalidated-success.ts';

/**
 * Runs that end well with nothing that speaks for the files: no validator in the whole workflow, or a
 * failure that is passed over without an EVALUATE. Where one has judged the failure, a person who approves
 * knows of it. What other rules say already is not said again.
 */
export const unverifiedEndsRule: Rule = {
  workflow: (context) => {
    const { view, graph, report } = context;
    if (graph.entry === null || view.steps.some((step) => step.opcode === null)) return;
    const validates = view.steps.some((step) => step.opcode === 'RUN_VALIDATION');
    const told = findUnvalidatedWays(context);
    const reached = graph.reach([graph.entry]);
    const ways = findUnverifiedWays(context, validates);
    for (const step of view.steps) {
      const edge = ways.get(step.index);
      if (step.opcode !== 'RUN_AGENT' || edge === undefined) continue;
      if (!reached.has(step.index) || told.has(step.index) || onlyLooks(step, context)) continue;
      report('WF407', {
        message: `the run can end as \`unverified\` after ${nameStep(step)}`,
        at: edge.path === null ? valuePlace(step.path, 'id') : valuePlace(edge.path),
        notes: () => [
          `the way is ${describeWay(step.index, ways, context)}`,
          ...(validates ? [] : ['the workflow has no RUN_VALIDATION step']),
        ],
        help: validates
          ? 'put a RUN_VALIDATION step on this way, or let an EVALUATE judge the failure'
          : 'put a RUN_VALIDATION step behind the agent',
      });
    }
  },
};

/** What such an agent changes all the same is a violation, and the run does not end well. */
const READ_ONLY = 'policy.read_only.v1';

function onlyLooks({ fields }: StepView, { view }: RuleContext): boolean {
  return fields.policy === READ_ONLY || view.defaults.policy === READ_ONLY;
}

/** Over everything that neither passes, is judged nor undoes. */
function findUnverifiedWays(context: RuleContext, validates: boolean): Ways {
  const unjudged = findUnjudged(context);
  const isLoose = (node: number) => context.graph.edges[node]?.some(({ to }) => to === LOOSE_NODE) ?? false;
  return findWays(context, (step, edge) => {
    // Where a route leads nowhere, its author has yet to say what is meant.
    if (isLoose(step.index)) return false;
    switch (step.opcode) {
      case 'RUN_VALIDATION':
        return edge.key !== 'completed' && !unjudged.has(step.index);
      case 'EVALUATE':
        return !validates;
      case 'RUN_AGENT':
      case 'GATE':
        return true;
      case 'ROLLBACK':
      case 'STOP':
      case null:
        return false;
    }
  });
}
