import { warningCode } from '../../../diagnostics/codes.ts';
import { defineRule, valuePlace } from '../../rule.ts';
import { nameStep } from '../../workflow-view.ts';

/** An empty `approvers` list lets everyone answer, which its author hardly meant. The schema reports blank names. */
export const gateApproversRule = defineRule({
  codes: { WF313: warningCode('a gate has an empty list of approvers') },
  step: (step, { report }) => {
    const { approvers } = step.fields;
    if (step.opcode !== 'GATE' || !Array.isArray(approvers) || approvers.length > 0) return;
    report('WF313', {
      message: `\`approvers\` of ${nameStep(step)} is empty`,
      at: valuePlace(step.path, 'approvers'),
      notes: ['an empty list lets anyone answer'],
      help: 'list who may answer, or remove `approvers` to let anyone answer',
    });
  },
});
