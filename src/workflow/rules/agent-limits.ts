import { isLimitKey } from '../../contracts/workflow-document.ts';
import { type Rule, valuePlace } from '../rule.ts';
import { asMapping, nameStep } from '../workflow-view.ts';

/** What bounds an agent then stands elsewhere, and changes with the machine the workflow runs on. */
export const agentLimitsRule: Rule = {
  step: (step, { view, report }) => {
    if (step.opcode !== 'RUN_AGENT' || givesLimits(step.fields.limits) || givesLimits(view.defaults.limits))
      return;
    // A limit beside `limits` is reported as that.
    if (Object.keys(step.fields).some(isLimitKey)) return;
    report('WF312', {
      message: `neither ${nameStep(step)} nor \`defaults\` limits what the agent may take`,
      at: valuePlace(step.path, 'id'),
      notes: ['only the timeouts and `max_visits` of the configuration hold, and no budget'],
      help: 'add `limits` to `defaults` or to the step, such as `{ timeout: 30m, max_visits: 3 }`',
    });
  },
};

/** Something that is no mapping, or a key that is misspelt, is reported as that. */
function givesLimits(value: unknown): boolean {
  if (value === undefined) return false;
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return true;
  return Object.keys(asMapping(value)).some((key) => !key.startsWith('x-'));
}
