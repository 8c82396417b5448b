import type { Network, PolicyDocument } from '../contracts/documents/policy.ts';
import { policyReference } from '../contracts/documents/policy.ts';
import type { EffectivePolicy } from './assemble.ts';

export type Runner = 'agent' | 'validator';

/** The default policy allows the network to agents; that permission isn't meant for validators. */
const DEFAULT_POLICY = 'policy.workspace.v1';

/**
 * Agents have network access unless it is denied. Validators have it only if a policy other than the default one
 * allows it.
 */
export function networkFor(
  runner: Runner,
  effective: EffectivePolicy,
  policies: readonly PolicyDocument[],
): Network {
  if (runner === 'agent' || effective.network === 'deny') return effective.network;
  const allows = policies.some(
    (policy) => policy.network === 'allow' && policyReference(policy) !== DEFAULT_POLICY,
  );
  return allows ? 'allow' : 'deny';
}

/** The sandbox of a step, or the reason why it has none. */
export type SandboxChoice =
  | { readonly kind: 'sandbox'; readonly name: string }
  | { readonly kind: 'none'; readonly reason: string };

/** Notes for the policy summary: what is enforced, and what was requested but isn't enforced. */
export function describeSandbox(enclosing: SandboxChoice, runner: Runner, network: Network): string[] {
  if (enclosing.kind === 'none')
    return [
      `no sandbox: ${enclosing.reason}`,
      'not enforced: the step could write files outside the checkout and read the home directory',
      ...(network === 'deny' ? [`not enforced: the ${runner}s of this step had network access`] : []),
    ];
  return [
    `sandbox: ${enclosing.name}, ${network === 'deny' ? 'without network access' : 'with network access'}`,
  ];
}
