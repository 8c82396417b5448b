import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  APPROVALS,
  EXECUTIONS,
  NETWORKS,
  OPERATIONS,
  type PolicyOverride,
} from '../../../src/contracts/documents/policy.ts';
import { assemblePolicy, type PolicyLayer } from '../../../src/policy/assemble.ts';
import { checkFiles } from '../../../src/policy/changes.ts';
import { change } from './policy-builder.ts';

describe('assemblePolicy', () => {
  it('gives the loosest values where nothing is said', () => {
    expect(assemblePolicy([])).toEqual({
      execution: 'workspace_write',
      allowed_paths: [],
      forbidden_paths: [],
      approval_paths: [],
      protected_paths: [],
      forbidden_operations: [],
      approval: 'fail_on_prompt',
      network: 'allow',
      commands: { allow: null, deny: [] },
      notes: [],
    });
  });

  it('grows forbidden lists and intersects allow-lists', () => {
    const policy = assemblePolicy([
      {
        source: 'system',
        policy: { forbidden_paths: ['a'], commands: { allow: ['git', 'npm'], deny: ['rm'] } },
      },
      { source: 'step', policy: { forbidden_paths: ['b', 'a'], forbidden_operations: ['push', 'commit'] } },
      { source: 'workflow', policy: { approval_paths: ['ci/**'] } },
      { source: 'step', policy: { approval_paths: [] } },
      { source: 'step', policy: { approval_paths: ['hooks/**', 'ci/**'] } },
      { source: 'runtime', policy: { commands: { allow: ['npm', 'ls'], deny: ['git push'] } } },
    ]);
    expect(policy.forbidden_paths).toEqual(['a', 'b']);
    expect(policy.approval_paths).toEqual(['ci/**', 'hooks/**']);
    expect(policy.forbidden_operations).toEqual(['commit', 'push']);
    expect(policy.commands).toEqual({ allow: ['npm'], deny: ['rm', 'git push'] });
  });

  it.each([
    [['git'], ['git status', 'npm'], ['git status']],
    [['git status'], ['git'], ['git status']],
    [['git status'], ['git log'], []],
    [
      ['git', 'npm'],
      ['npm', 'git'],
      ['git', 'npm'],
    ],
    [['git'], ['github'], []],
  ])('lets %j and %j together allow %j', (first, second, allowed) => {
    const policy = assemblePolicy([
      { source: 'workflow', policy: { commands: { allow: first } } },
      { source: 'step', policy: { commands: { allow: second } } },
    ]);
    expect(policy.commands.allow).toEqual(allowed);
  });

  it('allows a path only where every layer does', () => {
    const policy = assemblePolicy([
      { source: 'workflow', policy: { allowed_paths: ['src/**'] } },
      { source: 'step', policy: { allowed_paths: ['**/*.ts'] } },
    ]);
    const changes = ['src/a.ts', 'src/a.md', 'b.ts'].map((path) => change(path));
    expect(checkFiles(policy, changes).map(({ subject }) => subject)).toEqual(['src/a.md', 'b.ts']);
  });

  it('keeps the tighter value and says that a looser one was asked for', () => {
    const policy = assemblePolicy([
      { source: 'workflow', policy: { execution: 'read_only', network: 'allow' } },
      { source: 'runtime', policy: { execution: 'workspace_write', network: 'deny' } },
    ]);
    expect(policy.execution).toBe('read_only');
    expect(policy.network).toBe('deny');
    expect(policy.notes).toEqual([
      'the runtime layer asks for execution workspace_write, but an earlier layer set read_only, which applies',
    ]);
  });

  it('never loosens by one more layer', () => {
    const glob = fc.constantFrom('src/**', '**/*.md', 'a.ts');
    const layer: fc.Arbitrary<PolicyLayer> = fc
      .record(
        {
          execution: fc.constantFrom(...EXECUTIONS),
          allowed_paths: fc.array(glob),
          forbidden_paths: fc.array(glob),
          forbidden_operations: fc.subarray([...OPERATIONS]),
          approval: fc.constantFrom(...APPROVALS),
          network: fc.constantFrom(...NETWORKS),
        },
        { requiredKeys: [] },
      )
      .map((policy: PolicyOverride) => ({ source: 'step' as const, policy }));
    const changes = ['src/a.ts', 'src/b.md', 'a.ts', 'package.json'].map((path) =>
      change(path, { status: 'D' }),
    );
    const bad = (layers: PolicyLayer[]) =>
      checkFiles(assemblePolicy(layers), changes).map(({ class: kind, subject }) => `${kind} ${subject}`);
    fc.assert(
      fc.property(fc.array(layer, { maxLength: 3 }), layer, (layers, more) => {
        expect(bad([...layers, more])).toEqual(expect.arrayContaining(bad(layers)));
      }),
    );
  });
});
