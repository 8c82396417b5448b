import { describe, expect, it } from 'vitest';
import type { PolicyOverride } from '../../../src/contracts/documents/policy.ts';
import {
  type AgentCapability,
  listUnenforced,
  withoutCapabilities,
} from '../../../src/policy/enforcement.ts';
import { policyOf } from './policy-builder.ts';

const CASES: readonly {
  readonly name: string;
  readonly policy: PolicyOverride;
  readonly sandbox?: boolean;
  readonly capabilities?: readonly AgentCapability[];
  readonly left: readonly string[];
}[] = [
  { name: 'nothing of an empty policy', policy: {}, left: [] },
  {
    name: 'nothing that asks for what is there anyway',
    policy: { network: 'allow', approval: 'fail_on_prompt' },
    left: [],
  },
  {
    name: 'commands where not one is allowed',
    policy: { commands: { allow: [] } },
    left: ['commands.allow'],
  },
  {
    name: 'nothing that is looked at afterwards, protected paths among it',
    policy: { forbidden_paths: ['a'], protected_paths: ['test/'], forbidden_operations: ['push'] },
    left: [],
  },
  { name: 'a denied network without a sandbox', policy: { network: 'deny' }, left: ['network: deny'] },
  { name: 'no denied network in one', policy: { network: 'deny' }, sandbox: true, left: [] },
  {
    name: 'commands for an agent without a hook',
    policy: { commands: { allow: ['ls'], deny: ['rm'] } },
    sandbox: true,
    left: ['commands.allow', 'commands.deny'],
  },
  {
    name: 'no commands for an agent that asks before each',
    policy: { commands: { allow: ['ls'], deny: ['rm'] }, approval: 'deny_interactive' },
    capabilities: ['commands'],
    left: ['approval: deny_interactive'],
  },
  {
    name: 'no approval for an agent that knows it',
    policy: { approval: 'bounded_auto_approve' },
    capabilities: ['approval'],
    left: [],
  },
];

describe('what nothing can enforce', () => {
  it.each(CASES)('is $name', ({ policy, sandbox, capabilities, left }) => {
    const dimensions = listUnenforced(policyOf(policy), { network: sandbox ?? false });
    expect(withoutCapabilities(capabilities ?? [], dimensions)).toEqual(left);
  });
});
