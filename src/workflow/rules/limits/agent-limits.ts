import { isLimitKey } from '../../../contracts/documents/workflow-document.ts';
import { type Rule, valuePlace } from '../../rule.ts';
import { asMapping, nameStep } from '../../workflow-view.ts';

/** Warns about an agent without limits in the workflow: only the configuration limits it, which differs by machine. */
export const agentLimitsRule: Rule = {
  step: (step, { view, report }) => {
    if (step.opcode !== 'RUN_AGENT' || givesLimits(step.fields.limits) || givesLimits(view.defaults.limits))
      return;
    // The schema check reports a limit that is misplaced beside `limits`.
    if (Object.keys(step.fields).some(isLimitKey)) return;
    report('WF312', {
      message: `neither ${nameStep(step)} nor \`defaults\` limits what the agent may take`,
      at: valuePlace(step.path, 'id'),
      notes: ['only the timeouts and `max_visits` of the configuration hold, and no budget'],
      help: 'add `limits` to `defaults` or to the step, such as `{ timeout: 30m, max_visits: 3 }`',
    });
  },
};

/** Accepts malformed limits and misspelt keys, which the schema check reports. */
function givesLimits(value: unknown): boolean {
  if (value === undefined) return false;
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return true;
  return Object.keys(asMapping(value)).some((key) => !key.startsWith('x-'));
}
