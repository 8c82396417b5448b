import type { PolicyDocument } from '../contracts/documents/policy.ts';
import type { EffectivePolicy } from '../policy/assemble.ts';

/** Documents that combine to this policy again, for a program outside of the run. */
export function listPolicyDocuments(effective: EffectivePolicy): readonly PolicyDocument[] {
  const [first, ...others] = effective.allowed_paths;
  const { allow, deny } = effective.commands;
  const whole: PolicyDocument = {
    policy_id: 'policy.step',
    version: 1,
    execution: effective.execution,
    ...(first === undefined ? {} : { allowed_paths: [...first] }),
    forbidden_paths: [...effective.forbidden_paths],
    approval_paths: [...effective.approval_paths],
    protected_paths: [...effective.protected_paths],
    forbidden_operations: [...effective.forbidden_operations],
    approval: effective.approval,
    network: effective.network,
    commands: { ...(allow === null ? {} : { allow: [...allow] }), deny: [...deny] },
  };
  return [
    whole,
    ...others.map(
      (paths): PolicyDocument => ({ policy_id: 'policy.step', version: 1, allowed_paths: [...paths] }),
    ),
  ];
}
