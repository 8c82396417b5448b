import { isLimitKey } from '../../../contracts/documents/workflow-document.ts';
import { warningCode } from '../../../diagnostics/codes.ts';
import { asObject } from '../../../text/json.ts';
import { defineRule, valuePlace } from '../../rule.ts';
import { nameStep } from '../../workflow-view.ts';

/** Warns about an agent without limits in the workflow: only the configuration limits it, which differs by machine. */
export const agentLimitsRule = defineRule({
  codes: { WF312: warningCode('an agent step has no limits') },
  step: (step, { view, report }) => {
    if (step.opcode !== 'RUN_AGENT' || setsLimits(step.fields.limits) || setsLimits(view.defaults.limits))
      return;
    // The schema check reports a limit that is misplaced beside `limits`.
    if (Object.keys(step.fields).some(isLimitKey)) return;
    report('WF312', {
      message: `${nameStep(step)} has no \`limits\`, and \`defaults\` sets none either`,
      at: valuePlace(step.path, 'id'),
      notes: ['only the timeouts and `max_visits` of the configuration apply, and no budget'],
      help: 'add `limits` to `defaults` or to the step, such as `{ timeout: 30m, max_visits: 3 }`',
    });
  },
});

/** Accepts malformed limits and misspelt keys, which the schema check reports. */
function setsLimits(value: unknown): boolean {
  if (value === undefined) return false;
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return true;
  return Object.keys(asObject(value)).some((key) => !key.startsWith('x-'));
}
