import { warningCode } from '../../../diagnostics/codes.ts';
import { defineRule, type RuleContext, valuePlace } from '../../rule.ts';
import { UNRESOLVED_NODE } from '../../workflow-graph.ts';
import { nameStep, type WorkflowStepView } from '../../workflow-view.ts';
import { describePath, findSuccessPaths, type SuccessPaths } from './success-paths.ts';
import { findUnevaluated } from './unevaluated-validations.ts';
import { findUnvalidatedPaths } from './unvalidated-success.ts';

/**
 * Reports paths to a successful end with unverified files: the workflow has no validator, or a failed validation is
 * ignored without an EVALUATE. If an EVALUATE saw the failure, a reviewer who approves knows about it. Skips paths that
 * other rules report.
 */
export const unverifiedEndsRule = defineRule({
  codes: { WF407: warningCode('a run can end as unverified') },
  workflow: (context) => {
    const { view, graph, report } = context;
    if (graph.entry === null || view.steps.some((step) => step.opcode === null)) return;
    const validates = view.steps.some((step) => step.opcode === 'RUN_VALIDATION');
    const alreadyReported = findUnvalidatedPaths(context);
    const reached = graph.reachableFrom([graph.entry]);
    const paths = findUnverifiedPaths(context, validates);
    for (const step of view.steps) {
      const edge = paths.get(step.index);
      if (step.opcode !== 'RUN_AGENT' || edge === undefined) continue;
      if (!reached.has(step.index) || alreadyReported.has(step.index) || isReadOnly(step, context)) continue;
      report('WF407', {
        message: `the run can end as \`unverified\` after ${nameStep(step)}`,
        at: edge.path === null ? valuePlace(step.path, 'id') : valuePlace(edge.path),
        notes: () => [
          `the path is ${describePath(step.index, paths, context)}`,
          ...(validates ? [] : ['the workflow has no RUN_VALIDATION step']),
        ],
        help: validates
          ? 'add a RUN_VALIDATION step to this path, or route the failure to an EVALUATE step'
          : 'add a RUN_VALIDATION step after the agent',
      });
    }
  },
});

/** A change under this policy is a violation, so the run does not end successfully. */
const READ_ONLY = 'policy.read_only.v1';

function isReadOnly({ fields }: WorkflowStepView, { view }: RuleContext): boolean {
  return fields.policy === READ_ONLY || view.defaults.policy === READ_ONLY;
}

/** Follows edges that neither pass a validation, go through an evaluation nor undo the changes. */
function findUnverifiedPaths(context: RuleContext, validates: boolean): SuccessPaths {
  const unevaluated = findUnevaluated(context);
  const isLoose = (node: number) =>
    context.graph.edges[node]?.some(({ to }) => to === UNRESOLVED_NODE) ?? false;
  return findSuccessPaths(context, (step, edge) => {
    // A route with an unknown target is reported elsewhere; its meaning is open.
    if (isLoose(step.index)) return false;
    switch (step.opcode) {
      case 'RUN_VALIDATION':
        return edge.key !== 'completed' && !unevaluated.has(step.index);
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
