import { describe, expect, it } from 'vitest';
import type { PolicyDocument } from '../../../src/contracts/documents/policy.ts';
import { assemblePolicy } from '../../../src/policy/assemble.ts';
import { describeSandbox, networkFor } from '../../../src/policy/confinement.ts';

const workspace: PolicyDocument = { policy_id: 'policy.workspace', version: 1, network: 'allow' };
const open: PolicyDocument = { policy_id: 'policy.open', version: 1, network: 'allow' };
const quiet: PolicyDocument = { policy_id: 'policy.quiet', version: 1, network: 'deny' };
const silent: PolicyDocument = { policy_id: 'policy.silent', version: 1 };

const effectiveOf = (policies: readonly PolicyDocument[]) =>
  assemblePolicy(policies.map((policy) => ({ source: 'step', policy })));

describe('the network of a step', () => {
  it.each([
    ['agent', 'the default policy', [workspace], 'allow'],
    ['agent', 'a policy that does not say', [silent], 'allow'],
    ['agent', 'a policy that denies it', [workspace, quiet], 'deny'],
    ['agent', 'a policy that allows what another denies', [quiet, open], 'deny'],
    ['validator', 'the default policy', [workspace], 'deny'],
    ['validator', 'a policy that does not say', [silent], 'deny'],
    ['validator', 'a policy that allows it', [workspace, open], 'allow'],
    ['validator', 'a policy that allows what another denies', [quiet, open], 'deny'],
  ] as const)('for an %s under %s is %o', (runner, _, policies, network) => {
    expect(networkFor(runner, effectiveOf(policies), policies)).toBe(network);
  });
});

describe('the notes about the sandbox', () => {
  const none = { kind: 'none', reason: 'it is not there' } as const;
  const here = { kind: 'sandbox', name: 'bubblewrap' } as const;

  it('say without one why, and what was not enforced', () => {
    expect(describeSandbox(none, 'validator', 'deny')).toEqual([
      'no sandbox: it is not there',
      'not enforced: the step could write files outside the checkout and read the home directory',
      'not enforced: the validators of this step had network access',
    ]);
    expect(describeSandbox(none, 'agent', 'allow')).toHaveLength(2);
  });

  it('say with one which sandbox it is, and whether it has a network', () => {
    expect(describeSandbox(here, 'agent', 'deny')).toEqual(['sandbox: bubblewrap, without network access']);
    expect(describeSandbox(here, 'agent', 'allow')).toEqual(['sandbox: bubblewrap, with network access']);
  });
});
