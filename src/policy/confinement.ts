import type { Network, PolicyDocument } from '../contracts/policy.ts';
import { policyReference } from '../contracts/policy.ts';
import type { EffectivePolicy } from './assemble.ts';

export type Runner = 'agent' | 'validator';

/** It lets agents have the network; what it says is not meant for validators. */
const DEFAULT_POLICY = 'policy.workspace.v1';

/** Agents have the network unless it is denied, validators only where a policy besides the default one allows it. */
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

/** What shuts a step in, or why nothing does. */
export type Enclosing =
  | { readonly kind: 'sandbox'; readonly name: string }
  | { readonly kind: 'none'; readonly reason: string };

/** What the policy summary says about it: what holds, and what was asked for and does not. */
export function enclosingNotes(enclosing: Enclosing, runner: Runner, network: Network): string[] {
  if (enclosing.kind === 'none')
    return [
      `no sandbox: ${enclosing.reason}`,
      'not enforced: files outside the worktree could be written, and the home be read',
      ...(network === 'deny' ? [`not enforced: the ${runner}s of this step had a network`] : []),
    ];
  return [`shut in by ${enclosing.name}, ${network === 'deny' ? 'without a network' : 'with the network'}`];
}
