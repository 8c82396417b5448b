import { errorCode } from '../../../diagnostics/codes.ts';
import { asList } from '../../../text/json.ts';
import { defineRule, type RuleContext, valuePlace } from '../../rule.ts';
import { type ObjectValidator, objectValidators } from '../../script-validators.ts';
import { UNRESOLVED_NODE } from '../../workflow-graph.ts';
import { nameStep, type WorkflowStepView } from '../../workflow-view.ts';
import type { Path } from '../../yaml/yaml-tree.ts';

/** Proposed goldens need a gate, so that a reviewer can see them before they are accepted. */
export const goldenGateRule = defineRule({
  codes: { WF404: errorCode('goldens could be accepted without a gate') },
  workflow: (context) => {
    const proposing = context.view.steps.flatMap((step) =>
      findProposals(step).map((path) => ({ step, path })),
    );
    if (proposing.length === 0) return;
    const gated = stepsBeforeGate(context);
    for (const { step, path } of proposing) {
      if (gated.has(step.index)) continue;
      context.report('WF404', {
        message: `${nameStep(step)} can propose goldens, but no GATE is reachable from an EVALUATE after it`,
        at: valuePlace(path),
        help: 'route an EVALUATE after this step to a GATE, or set `may_propose_goldens: false`',
      });
    }
  },
});

function findProposals(step: WorkflowStepView): Path[] {
  return objectValidators(step).flatMap((validator) => {
    const path = proposalPath(validator);
    return path === null ? [] : [path];
  });
}

/** The path of the field that lets the validator propose goldens: `may_propose_goldens` or a harness report. */
function proposalPath({ fields, path }: ObjectValidator): Path | null {
  if (fields.may_propose_goldens === false) return null;
  if (fields.may_propose_goldens === true) return [...path, 'may_propose_goldens'];
  if (fields.kind !== 'script') return null;
  const index = asList(fields.artifacts).findIndex(
    (item) => typeof item === 'string' && isHarnessReport(item),
  );
  return index < 0 ? null : [...path, 'artifacts', index];
}

export function isHarnessReport(artifact: string): boolean {
  const name = artifact.slice(artifact.lastIndexOf('/') + 1);
  return name.endsWith('.json') && name.includes('harness_report');
}

function stepsBeforeGate({ view, graph }: RuleContext): ReadonlySet<number> {
  const gates = view.steps.filter((step) => step.opcode === 'GATE').map((step) => step.index);
  // Unknown targets and unreadable steps may lead to a gate, if the workflow has one.
  const unknown = gates.length === 0 ? [] : unknownNodes(view.steps, graph.edges);
  const beforeGate = graph.nodesReaching([...gates, ...unknown]);
  const evaluates = view.steps.filter((step) => step.opcode === 'EVALUATE' && beforeGate.has(step.index));
  return graph.nodesReaching([...evaluates.map((step) => step.index), ...unknown]);
}

function unknownNodes(steps: readonly WorkflowStepView[], edges: RuleContext['graph']['edges']): number[] {
  return steps
    .filter((step) => step.opcode === null || edges[step.index]?.some((edge) => edge.to === UNRESOLVED_NODE))
    .map((step) => step.index);
}
