import { POLICY_REF_PATTERN } from '../../../contracts/forms.ts';
import { errorCode } from '../../../diagnostics/codes.ts';
import { didYouMean } from '../../../diagnostics/did-you-mean.ts';
import { defineRule, type Place, type RuleContext, suggest, valuePlace } from '../../rule.ts';

const BUILTIN_POLICY = 'policy.workspace.v1';

export const knownPoliciesRule = defineRule({
  codes: { WF503: errorCode('a policy is unknown') },
  step: (step, context) => {
    const { policy } = step.fields;
    const takesPolicy = step.opcode === 'RUN_AGENT' || step.opcode === 'RUN_VALIDATION';
    if (takesPolicy && policy !== undefined) check(policy, valuePlace(step.path, 'policy'), context);
  },
  workflow: (context) => check(context.view.defaults.policy, valuePlace(['defaults', 'policy']), context),
});

function check(policy: unknown, at: Place, { names, report }: RuleContext<'WF503'>): void {
  if (names === null || typeof policy !== 'string' || !POLICY_REF_PATTERN.test(policy)) return;
  const problem = names.brokenPolicies?.get(policy);
  if (problem !== undefined) {
    report('WF503', {
      message: `the policy \`${policy}\` cannot be used: its file has errors`,
      at,
      notes: [problem],
      help: 'fix the errors in the file',
    });
    return;
  }
  if (policy === BUILTIN_POLICY || names.policies.has(policy)) return;
  report('WF503', {
    message: `the policy \`${policy}\` is unknown`,
    at,
    help: () =>
      suggest(didYouMean(policy, [...names.policies, BUILTIN_POLICY])) ??
      `create \`.tnh/policies/${policy}.yaml\``,
  });
}
