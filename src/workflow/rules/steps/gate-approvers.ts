import { type Rule, valuePlace } from '../../rule.ts';
import { nameStep } from '../../workflow-view.ts';

/** An empty `approvers` list lets everyone answer, which its author hardly meant. The schema reports blank names. */
export const gateApproversRule: Rule = {
  step: (step, { report }) => {
    const { approvers } = step.fields;
    if (step.opcode !== 'GATE' || !Array.isArray(approvers) || approvers.length > 0) return;
    report('WF313', {
      message: `\`approvers\` of ${nameStep(step)} names nobody who could answer`,
      at: valuePlace(step.path, 'approvers'),
      notes: ['an empty list is taken for none at all, so that anyone may answer'],
      help: 'name who may answer, or remove `approvers` to let anybody',
    });
  },
};
