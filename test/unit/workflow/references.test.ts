import { describe, expect, it } from 'vitest';
import type { KnownNames } from '../../../src/workflow/rule.ts';
import { agent, check, codes, validation, workflow } from './check.ts';

const names: KnownNames = {
  agents: new Set(['fixer']),
  validators: new Set(['audit']),
  policies: new Set(['policy.strict.v2']),
  prompts: new Map([
    [
      'task.a.v1',
      {
        role: 'task',
        schemaRef: null,
        inputs: [
          { name: 'ticket', required: true },
          { name: 'hint', required: false },
        ],
      },
    ],
    [
      'task.b.v1',
      {
        role: 'task',
        schemaRef: null,
        inputs: [
          { name: 'task', required: true },
          { name: 'diff', required: true },
        ],
      },
    ],
  ]),
  entrypoints: new Set(['node']),
};

const step = (from: string, to: string) => workflow('a', agent('a', 'STOP').replace(from, to));

describe('names', () => {
  it.each(['fixer', 'codex', 'claude-code'])('the agent %s is known', (name) => {
    expect(codes(check(step('codex', name), { names }))).toEqual([]);
  });

  it.each(['tests', 'lint', 'typecheck', 'audit', '{ id: audit, kind: builtin }'])(
    'the validator %s is known',
    (name) => {
      expect(codes(check(workflow('a', validation('a', 'STOP', `[${name}]`)), { names }))).toEqual([]);
    },
  );

  it('an unknown builtin is an unknown validator', () => {
    expect(
      codes(check(workflow('a', validation('a', 'STOP', '[{ id: adit, kind: builtin }]')), { names })),
    ).toEqual(['WF502']);
  });

  it.each(['policy.strict.v2', 'policy.workspace.v1'])('the policy %s is known', (policy) => {
    expect(codes(check(step('    prompt:', `    policy: ${policy}\n    prompt:`), { names }))).toEqual([]);
  });

  it('nothing is resolved where names are not given', () => {
    expect(codes(check(step('codex', 'nobody')))).toEqual([]);
  });

  it('a bare command must be allowed, a path need not', () => {
    const script = (entrypoint: string) =>
      workflow('a', validation('a', 'STOP', `[{ id: v, kind: script, entrypoint: "${entrypoint}" }]`));
    expect(codes(check(script('node'), { names }))).toEqual([]);
    expect(codes(check(script('./make'), { names }))).toEqual([]);
    expect(codes(check(script('make'), { names }))).toEqual(['WF507']);
    expect(codes(check(script('make test'), { names }))).toEqual(['WF507']);
  });
});

describe('inputs', () => {
  const prompt = (ref: string, inputs: string) =>
    step('prompt: do the work', `prompt: ${ref}\n    inputs: [${inputs}]`);

  it.each<[string, string, string, string[] | null, string[]]>([
    ['an input the runtime supplies', 'do it', 'diff', [], []],
    ['an input by --input', 'do it', 'colour', ['colour'], []],
    ['an input nobody knows', 'do it', 'colour', [], ['WF508']],
    ['an input that the prompt declares', 'task.a.v1', 'hint, ticket', null, []],
    ['an input that the prompt does not declare', 'task.a.v1', 'ticket, colour', null, ['WF508']],
    ['a required input that may still be given', 'task.a.v1', 'ticket', null, []],
    ['a required input that nobody asks for', 'task.a.v1', '', null, ['WF508']],
    ['a required input that was not given', 'task.a.v1', 'ticket', [], ['WF508']],
    ['a required input that was given', 'task.a.v1', '', ['ticket'], []],
    ['a task that may still be given', 'task.b.v1', '', null, []],
    ['a task that was not given', 'task.b.v1', '', [], ['WF508']],
    ['a task that was given', 'task.b.v1', '', ['task'], []],
  ])('%s', (_, ref, asked, inputs, expected) => {
    expect(codes(check(prompt(ref, asked), { names, inputs }))).toEqual(expected);
  });
});
