import type { EffectivePolicy } from './assemble.ts';

/** What an agent can declare to enforce itself. Paths, operations and refs are checked after every step. */
export type AgentCapability = 'approval' | 'commands' | 'network';

/**
 * The dimensions of a policy that nothing enforces. A run refuses them before it starts, because an unenforced rule
 * is worse than none. A sandbox enforces the network dimension.
 */
export function listUnenforced(
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

/**
 * Of the dimensions that nothing else enforces, those that an agent with these capabilities doesn't enforce either.
 */
export function withoutCapabilities(
  capabilities: readonly AgentCapability[],
  dimensions: readonly string[],
): readonly string[] {
  return dimensions.filter(
    (dimension) =>
      !capabilities.some((name) => dimension.startsWith(`${name}.`) || dimension.startsWith(`${name}:`)),
  );
}
