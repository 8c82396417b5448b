import type { EffectivePolicy } from './assemble.ts';

/**
 * The dimensions of a policy that nothing enforces yet. A run refuses them before it starts, because a
 * promise that nobody keeps is worse than none.
 */
export function unenforceable(policy: EffectivePolicy): string[] {
  const names: string[] = [];
  if (policy.network === 'deny') names.push('network: deny');
  if (policy.commands.allow !== null) names.push('commands.allow');
  if (policy.commands.deny.length > 0) names.push('commands.deny');
  if (policy.protected_paths.length > 0) names.push('protected_paths');
  if (policy.approval !== 'fail_on_prompt') names.push(`approval: ${policy.approval}`);
  return names;
}
