import { warningCode } from '../../../diagnostics/codes.ts';
import { defineRule, type RuleContext, valuePlace } from '../../rule.ts';
import type { WorkflowGraph } from '../../workflow-graph.ts';
import { nameStep } from '../../workflow-view.ts';
import { describePath, findSuccessPaths, type SuccessPaths } from './success-paths.ts';

const FAILURES = new Set(['error', 'killed_timeout', 'killed_idle', 'killed_policy']);

export const unvalidatedSuccessRule = defineRule({
  codes: { WF405: warningCode('a run can succeed without a validation') },
  workflow: (context) => {
    const { view, graph, report } = context;
    if (graph.entry === null) return;
    const reached = graph.reachableFrom([graph.entry]);
    const paths = findUnvalidatedPaths(context);
    for (const step of view.steps) {
      const edge = paths.get(step.index);
      if (step.opcode !== 'RUN_AGENT' || edge === undefined || !reached.has(step.index)) continue;
      report('WF405', {
        message: `the run can succeed after ${nameStep(step)} without a validation`,
        at: edge.path === null ? valuePlace(step.path, 'id') : valuePlace(edge.path),
        notes: () => [`the path is ${describePath(step.index, paths, context)}`],
        help: 'add a RUN_VALIDATION step to this path',
      });
    }
  },
});

/** Paths to a successful end without a validation, in a workflow that has validation steps. */
export function findUnvalidatedPaths(context: RuleContext): SuccessPaths {
  const known = pathsByGraph.get(context.graph) ?? searchUnvalidatedPaths(context);
  pathsByGraph.set(context.graph, known);
  return known;
}

/** Cached, because two rules need the result. */
const pathsByGraph = new WeakMap<WorkflowGraph, SuccessPaths>();

function searchUnvalidatedPaths(context: RuleContext): SuccessPaths {
  if (!context.view.steps.some((step) => step.opcode === 'RUN_VALIDATION')) return new Map();
  return findSuccessPaths(context, ({ opcode }, edge) => {
    // A path with a validation is validated; a rollback leaves nothing to validate.
    const settles = opcode === 'RUN_VALIDATION' || opcode === 'ROLLBACK' || opcode === null;
    return !settles && !FAILURES.has(edge.key);
  });
}
