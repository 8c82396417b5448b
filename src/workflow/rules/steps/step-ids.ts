import { STOP } from '../../../contracts/vocabulary.ts';
import { errorCode } from '../../../diagnostics/codes.ts';
import { defineRule, valuePlace } from '../../rule.ts';
import type { WorkflowStepView } from '../../workflow-view.ts';

/** Step ids name folders, so they must differ on case-insensitive file systems too. */
export const stepIdsRule = defineRule({
  codes: {
    WF102: errorCode('two steps have the same id'),
    WF104: errorCode('a step called STOP has another opcode'),
  },
  workflow: ({ view, report }) => {
    const firstByFolded = new Map<string, WorkflowStepView>();
    for (const step of view.steps) {
      if (step.id === null) continue;
      const folded = step.id.toLowerCase();
      const first = firstByFolded.get(folded);
      if (first === undefined) {
        firstByFolded.set(folded, step);
        continue;
      }
      const same = first.id === step.id;
      report('WF102', {
        message: same
          ? `the step id \`${step.id}\` is used twice`
          : `the step ids \`${first.id}\` and \`${step.id}\` differ only in case`,
        at: valuePlace(step.path, 'id'),
        related: [{ message: 'first used here', at: valuePlace(first.path, 'id') }],
        notes: same ? [] : ['step ids name folders, so they must be unique regardless of case'],
      });
    }
  },
  step: (step, { report }) => {
    if (step.id !== STOP || step.opcode === null || step.opcode === 'STOP') return;
    report('WF104', {
      message: `the step called \`STOP\` has opcode ${step.opcode}`,
      at: valuePlace(step.path, 'opcode'),
      related: [{ message: 'the reserved id', at: valuePlace(step.path, 'id') }],
      help: 'give the step another id, or opcode STOP',
    });
  },
});
