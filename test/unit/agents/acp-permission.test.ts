import { describe, expect, it } from 'vitest';
import { toolCallSchema } from '../../../src/agents/acp/acp-messages.ts';
import { AUTO_APPROVALS, answerPermission } from '../../../src/agents/acp/acp-permission.ts';
import type { PolicyOverride } from '../../../src/contracts/documents/policy.ts';
import { policyOf } from '../policy/policy-builder.ts';

const WORK = '/srv/repo/.tnh/worktrees/1';
const ALL = ['allow_always', 'allow_once', 'reject_always', 'reject_once'];

function answer(
  policy: PolicyOverride,
  call: Record<string, unknown>,
  { kinds = ALL, before = 0 }: { readonly kinds?: readonly string[]; readonly before?: number } = {},
) {
  const toolCall = toolCallSchema.parse({ toolCallId: 't1', ...call });
  const options = kinds.map((kind) => ({ optionId: `id-${kind}`, kind }));
  const place = {
    workspace: WORK,
    cwd: WORK,
    home: '/srv/home',
    writable: [],
    temporary: ['/tmp'],
    protectedBranches: ['main'],
  };
  const settings = { policy: policyOf(policy), place };
  return answerPermission(settings, { toolCall, options }, toolCall, before);
}

const edit = (path: string) => ({ kind: 'edit', title: 'Edit', locations: [{ path }] });
const run = (command: unknown, more: object = {}) => ({
  kind: 'execute',
  title: 'a command',
  rawInput: { command, ...more },
});
const READ_ONLY: PolicyOverride = { execution: 'read_only' };

describe('a question that the policy lets through', () => {
  it.each<[string, PolicyOverride, Record<string, unknown>]>([
    ['to edit a file of the checkout', {}, edit(`${WORK}/src/a.ts`)],
    ['to edit a file by a relative path', {}, edit('src/a.ts')],
    ['to run a command', {}, run('npm test && git status')],
    ['to run a command given as arguments', {}, run(['bash', '-lc', 'npm test'])],
    ['to run a command under another name', {}, { kind: 'other', title: 'x', rawInput: { cmd: 'ls' } }],
    ['to run a program with its arguments', {}, run('npm', { args: ['run', 'test'] })],
    ['to edit a file that only its input names', {}, { kind: 'edit', rawInput: { file_path: 'src/a.ts' } }],
    ['to move a file', {}, { kind: 'move', rawInput: { from: 'a.ts', to: 'src/b.ts' } }],
    ['to run a command that is its only detail', {}, { kind: 'execute', title: 'npm test' }],
    ['to read, whatever the policy', READ_ONLY, { kind: 'read', locations: [{ path: '/etc/hosts' }] }],
    ['to look with a command under a read-only policy', READ_ONLY, run('git diff')],
    ['to fetch where the network is allowed', {}, { kind: 'fetch', title: 'https://example.org' }],
  ])('%s is allowed, once', (_, policy, call) => {
    expect(answer(policy, call)).toMatchObject({
      kind: 'allowed',
      optionId: 'id-allow_once',
      decided: true,
    });
  });
});

describe('a question that the policy refuses', () => {
  it.each<[string, PolicyOverride, Record<string, unknown>, string]>([
    ['outside the checkout', {}, edit('/srv/home/.bashrc'), 'outside_workspace'],
    ['by way of ..', {}, edit(`${WORK}/../../config.yaml`), 'outside_workspace'],
    ['in .git', {}, edit(`${WORK}/.git/hooks/pre-commit`), 'forbidden_path'],
    ['in a forbidden path', { forbidden_paths: ['.github/'] }, edit('.github/ci.yml'), 'forbidden_path'],
    ['outside the allowed paths', { allowed_paths: ['docs/**'] }, edit('src/a.ts'), 'forbidden_path'],
    ['under a read-only policy', READ_ONLY, edit('src/a.ts'), 'forbidden_operation'],
    [
      'by a difference, whatever it calls itself',
      READ_ONLY,
      { kind: 'read', content: [{ type: 'diff', path: 'src/a.ts', newText: '' }] },
      'forbidden_operation',
    ],
    [
      'by deleting',
      { forbidden_operations: ['delete'] },
      { kind: 'delete', locations: [{ path: 'a' }] },
      'forbidden_operation',
    ],
    ['by a denied command', { commands: { deny: ['rm'] } }, run('rm -rf src'), 'native_policy_block'],
    ['by a command not on the list', { commands: { allow: ['npm'] } }, run('curl x'), 'native_policy_block'],
    [
      'by a command that calls itself a look',
      { commands: { deny: ['curl'] } },
      { ...run('curl x'), kind: 'read' },
      'native_policy_block',
    ],
    [
      'by a denied command that is its only detail',
      { commands: { deny: ['rm'] } },
      { kind: 'execute', title: 'rm -rf src' },
      'native_policy_block',
    ],
    [
      'by a denied command in its arguments',
      { commands: { deny: ['git push'] } },
      run('git', { args: ['push', 'origin'] }),
      'native_policy_block',
    ],
    [
      'by a denied line in the arguments of a shell',
      { commands: { deny: ['rm'] } },
      run('bash', { args: ['-lc', 'rm -rf src'] }),
      'native_policy_block',
    ],
    [
      'by a file that only its input names',
      {},
      { kind: 'edit', title: 'x', rawInput: { path: '/etc/hosts' } },
      'outside_workspace',
    ],
    [
      'by a place it moves a file to',
      {},
      { kind: 'move', locations: [{ path: 'a.ts' }], rawInput: { source: 'a.ts', destination: '../a.ts' } },
      'outside_workspace',
    ],
    ['by a command that writes', READ_ONLY, run('echo x > src/a.ts'), 'forbidden_operation'],
    ['by a command that leads out', {}, run('echo x > ../a', { cwd: WORK }), 'outside_workspace'],
    ['by a push', { forbidden_operations: ['push'] }, run('git push origin x'), 'forbidden_operation'],
    ['on the network', { network: 'deny' }, { kind: 'fetch', title: 'x' }, 'network_violation'],
    [
      "by what can't be determined under a read-only policy",
      READ_ONLY,
      { kind: 'execute', title: 'x', rawInput: {} },
      'forbidden_operation',
    ],
  ])('%s is refused by whatever approval', (_, policy, call, violation) => {
    for (const approval of ['fail_on_prompt', 'deny_interactive', 'bounded_auto_approve'] as const) {
      const given = answer({ ...policy, approval }, call);
      expect(given).toMatchObject({ kind: 'refused', optionId: 'id-reject_once', byPolicy: true });
      expect(given.why).toContain(violation);
    }
  });
});

describe('a question that the policy says nothing about', () => {
  const unknown = { kind: 'other', title: 'Deploy the thing' };

  it.each([
    ['a tool of some server', unknown],
    ['another mode', { kind: 'switch_mode', title: 'Ready to code?' }],
    ['a command that it does not name', { kind: 'execute', title: 'Terminal', rawInput: {} }],
    ['a command of which it shows a part', { kind: 'execute', title: 'npm test && …' }],
    ['an edit of nobody knows what', { kind: 'edit', title: 'x' }],
    ['a kind of the future', { kind: 'teleport', title: 'x' }],
    ['a kind that is the name of a method', { kind: 'toString', title: 'x' }],
  ])('ends the step by default: %s', (_, call) => {
    expect(answer({}, call).kind).toBe('prompted');
  });

  it('is refused if the policy forbids questions, and is not a violation of the agent', () => {
    expect(answer({ approval: 'deny_interactive' }, unknown)).toMatchObject({
      kind: 'refused',
      optionId: 'id-reject_once',
      byPolicy: false,
    });
  });

  it('is allowed where the policy approves by itself, but not without end', () => {
    const approving: PolicyOverride = { approval: 'bounded_auto_approve' };
    expect(answer(approving, unknown)).toMatchObject({ kind: 'allowed', decided: false });
    const last = answer(approving, unknown, { before: AUTO_APPROVALS });
    expect(last).toMatchObject({ kind: 'refused', byPolicy: false });
  });
});

describe('the options of a question', () => {
  it.each([
    ['that can only be granted for good', ['allow_always', 'reject_once'], 'ls', 'prompted'],
    ['without any option', [], 'ls', 'prompted'],
  ])('leave nothing to allow %s', (_, kinds, command, kind) => {
    expect(answer({}, run(command), { kinds }).kind).toBe(kind);
  });

  it.each([
    [['allow_once', 'reject_always'], 'id-reject_always'],
    [['allow_once'], null],
  ])('say no by what is there: %j', (kinds, optionId) => {
    expect(answer(READ_ONLY, edit('a'), { kinds })).toMatchObject({ kind: 'refused', optionId });
  });
});
