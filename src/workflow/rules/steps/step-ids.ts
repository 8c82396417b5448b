import { STOP } from '../../../contracts/vocabulary.ts';
import { type Rule, valuePlace } from '../../rule.ts';
import type { StepView } from '../../workflow-view.ts';

/** Step ids name folders, so they must differ on case-insensitive file systems too. */
export const stepIdsRule: Rule = {
  workflow: ({ view, report }) => {
    const firstByFolded = new Map<string, StepView>();
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
          : `the step ids \`${first.id}\` and \`${step.id}\` differ in case alone`,
        at: valuePlace(step.path, 'id'),
        related: [{ message: 'first used here', at: valuePlace(first.path, 'id') }],
        notes: same ? [] : ['step ids name folders, and are unique without regard to case'],
      });
    }
  },
  step: (step, { report }) => {
    if (step.id !== STOP || step.opcode === null || step.opcode === 'STOP') return;
    report('WF104', {
      message: `the step called \`STOP\` has opcode ${step.opcode}`,
      at: valuePlace(step.path, 'opcode'),
      related: [{ message: 'the reserved word is used as an id here', at: valuePlace(step.path, 'id') }],
      help: 'give the step another id, or opcode STOP',
    });
  },
};
