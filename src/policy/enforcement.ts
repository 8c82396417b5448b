import type { EffectivePolicy } from './assemble.ts';

/** What an agent may declare that it keeps by itself. Paths, operations and refs are looked at after every step. */
export type AgentCapability = 'approval' | 'commands' | 'network';

/**
 * The dimensions of a policy that nothing enforces yet. A run refuses them before it starts, because a
 * promise that nobody keeps is worse than none. A sandbox keeps the one about the network.
 */
export function unenforceable(
  policy: EffectivePolicy,
  { network }: { readonly network: boolean } = { network: false },
): string[] {
  const names: string[] = [];
  if (policy.network === 'deny' && !network) names.push('network: deny');
  if (policy.commands.allow !== null) names.push('commands.allow');
  if (policy.commands.deny.length > 0) names.push('commands.deny');
  if (policy.approval !== 'fail_on_prompt') names.push(`approval: ${policy.approval}`);
  return names;
}

/** Of the dimensions that nothing else enforces, those that an agent with these capabilities does not keep either. */
export function notKeptBy(
  capabilities: readonly AgentCapability[],
  dimensions: readonly string[],
): readonly string[] {
  return dimensions.filter(
    (dimension) =>
      !capabilities.some((name) => dimension.startsWith(`${name}.`) || dimension.startsWith(`${name}:`)),
  );
}
