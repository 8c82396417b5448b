import { POLICY_REF_PATTERN } from '../../../contracts/forms.ts';
import { didYouMean } from '../../../diagnostics/did-you-mean.ts';
import { type Place, type Rule, type RuleContext, suggest, valuePlace } from '../../rule.ts';

const BUILTIN_POLICY = 'policy.workspace.v1';

export const knownPoliciesRule: Rule = {
  step: (step, context) => {
    const { policy } = step.fields;
    const takesPolicy = step.opcode === 'RUN_AGENT' || step.opcode === 'RUN_VALIDATION';
    if (takesPolicy && policy !== undefined) check(policy, valuePlace(step.path, 'policy'), context);
  },
  workflow: (context) => check(context.view.defaults.policy, valuePlace(['defaults', 'policy']), context),
};

function check(policy: unknown, at: Place, { names, report }: RuleContext): void {
  if (names === null || typeof policy !== 'string' || !POLICY_REF_PATTERN.test(policy)) return;
  const problem = names.brokenPolicies?.get(policy);
  if (problem !== undefined) {
    report('WF503', {
      message: `the policy \`${policy}\` cannot be used: its file has errors`,
      at,
      notes: [problem],
      help: 'correct the file',
    });
    return;
  }
  if (policy === BUILTIN_POLICY || names.policies.has(policy)) return;
  report('WF503', {
    message: `the policy \`${policy}\` is not known`,
    at,
    help: () =>
      suggest(didYouMean(policy, [...names.policies, BUILTIN_POLICY])) ??
      `write it to \`.tnh/policies/${policy}.yaml\``,
  });
}
