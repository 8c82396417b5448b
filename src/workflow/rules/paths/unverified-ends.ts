import { type Rule, type RuleContext, valuePlace } from '../../rule.ts';
import { LOOSE_NODE } from '../../workflow-graph.ts';
import { nameStep, type StepView } from '../../workflow-view.ts';
import { describeWay, findWays, type Ways } from './success-paths.ts';
import { findUnjudged } from './unevaluated-validations.ts';
import { findUnvalidatedWays } from './unvalidated-success.ts';

/**
 * Reports paths to a successful end with unverified files: the workflow has no validator, or a failed validation is
 * ignored without an EVALUATE. If an EVALUATE saw the failure, a reviewer who approves knows about it. Skips paths that
 * other rules report.
 */
export const unverifiedEndsRule: Rule = {
  workflow: (context) => {
    const { view, graph, report } = context;
    if (graph.entry === null || view.steps.some((step) => step.opcode === null)) return;
    const validates = view.steps.some((step) => step.opcode === 'RUN_VALIDATION');
    const alreadyReported = findUnvalidatedWays(context);
    const reached = graph.reach([graph.entry]);
    const ways = findUnverifiedWays(context, validates);
    for (const step of view.steps) {
      const edge = ways.get(step.index);
      if (step.opcode !== 'RUN_AGENT' || edge === undefined) continue;
      if (!reached.has(step.index) || alreadyReported.has(step.index) || isReadOnly(step, context)) continue;
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

/** A change under this policy is a violation, so the run does not end successfully. */
const READ_ONLY = 'policy.read_only.v1';

function isReadOnly({ fields }: StepView, { view }: RuleContext): boolean {
  return fields.policy === READ_ONLY || view.defaults.policy === READ_ONLY;
}

/** Follows edges that neither pass a validation, go through an evaluation nor undo the changes. */
function findUnverifiedWays(context: RuleContext, validates: boolean): Ways {
  const unjudged = findUnjudged(context);
  const isLoose = (node: number) => context.graph.edges[node]?.some(({ to }) => to === LOOSE_NODE) ?? false;
  return findWays(context, (step, edge) => {
    // A route with an unknown target is reported elsewhere; its meaning is open.
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
