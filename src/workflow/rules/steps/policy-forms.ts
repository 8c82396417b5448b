import { FORMS, POLICY_REF_PATTERN } from '../../../contracts/forms.ts';
import { errorCode } from '../../../diagnostics/codes.ts';
import { defineRule, type Place, type RuleContext, valuePlace } from '../../rule.ts';

export const policyFormsRule = defineRule({
  codes: { WF303: errorCode('a policy reference is malformed') },
  step: (step, context) => {
    const { policy } = step.fields;
    const takesPolicy = step.opcode === 'RUN_AGENT' || step.opcode === 'RUN_VALIDATION';
    if (takesPolicy && policy !== undefined) check(policy, valuePlace(step.path, 'policy'), context);
  },
  workflow: (context) => check(context.view.defaults.policy, valuePlace(['defaults', 'policy']), context),
});

function check(policy: unknown, at: Place, { report }: RuleContext<'WF303'>): void {
  if (typeof policy !== 'string' || policy.trim() === '' || POLICY_REF_PATTERN.test(policy)) return;
  report('WF303', {
    message: `\`${policy}\` is not ${FORMS.policyRef.wanted}`,
    at,
    help: FORMS.policyRef.help,
  });
}
