import { describe, expect, it } from 'vitest';
import { createTemplateReader } from '../../../src/adapters/prompts/template.ts';
import type { KnownNames } from '../../../src/workflow/rule.ts';
import { findUnusedInput } from '../../../src/workflow/unused-inputs.ts';
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

  it('a malformed name of a validator is not also unknown', () => {
    expect(codes(check(workflow('a', validation('a', 'STOP', '["a b"]')), { names }))).toEqual(['WF011']);
  });

  it("an existing policy that can't be used is reported with its errors", () => {
    const brokenPolicies = new Map([['policy.strict.v2', 'version must be at least 1']]);
    const text = step('    prompt:', '    policy: policy.strict.v2\n    prompt:');
    const { diagnostics } = check(text, { names: { ...names, brokenPolicies } });
    expect(diagnostics.map(({ code, notes }) => [code, notes])).toEqual([
      ['WF503', ['version must be at least 1']],
    ]);
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

describe('prompts', () => {
  const refer = (known: KnownNames['prompts']) =>
    check(step('do the work', 'task.a.v1'), { names: { ...names, prompts: known } }).diagnostics.map(
      ({ code, message, help }) => [code, message, help],
    );

  it('a missing one is unknown', () => {
    expect(refer(new Map())).toEqual([
      ['WF504', 'the prompt `task.a.v1` is unknown', 'create `.tnh/prompts/task.a.v1.md`'],
    ]);
  });

  it('one whose file has errors is not reported as missing', () => {
    const listed = new Set(['task.a.v1']);
    expect(refer({ keys: () => listed.keys(), get: () => undefined })).toEqual([
      [
        'WF504',
        'the prompt `task.a.v1` cannot be used: its file has errors',
        'run `conductor validate` on that file to see them',
      ],
    ]);
  });
});

describe('inputs', () => {
  const prompt = (ref: string, inputs: string) =>
    step('prompt: do the work', `prompt: ${ref}\n    inputs: [${inputs}]`);

  it.each<[string, string, string, string[] | null, string[]]>([
    ['an input the runtime supplies', 'do it', 'diff', [], []],
    ['an input by --input', 'do it', 'colour', ['colour'], []],
    ['an input nobody knows', 'do it', 'colour', [], ['WF508']],
    ['an input that may still be given to inline text', 'do it', 'colour', null, ['WF510']],
    ['a misspelt input beside inline text', 'do it', 'dif', null, ['WF508']],
    ['an input that the prompt declares', 'task.a.v1', 'hint, ticket', null, []],
    ['an input that the prompt does not declare', 'task.a.v1', 'ticket, colour', null, ['WF508']],
    ['a required input that may still be given', 'task.a.v1', 'ticket', null, []],
    ['a required input that nobody asks for', 'task.a.v1', '', null, ['WF508']],
    ['a required input that was not given', 'task.a.v1', 'ticket', [], ['WF508']],
    ['a required input that was given', 'task.a.v1', '', ['ticket'], []],
    ['a task that may still be given', 'task.b.v1', '', null, []],
    ['a task that was not given', 'task.b.v1', '', [], ['WF508']],
    ['a task that was given', 'task.b.v1', '', ['task'], []],
  ])('%s', (_, ref, requested, inputs, expected) => {
    expect(codes(check(prompt(ref, requested), { names, inputs }))).toEqual(expected);
  });

  it.each<[string, string, string, string[] | null, string]>([
    [
      'listed, without a run',
      'task.a.v1',
      'ticket, colour',
      null,
      'declare it in the prompt, or pass it to `conductor run` with `--input colour=…`',
    ],
    [
      'listed beside inline text, without a run',
      'do it',
      'colour',
      null,
      'pass it to `conductor run` with `--input colour=…`',
    ],
    ['listed, before a run', 'do it', 'colour', [], 'pass `--input colour=…`'],
    [
      'required, without a run',
      'task.a.v1',
      '',
      null,
      'list it in `inputs` of the step, and pass it to `conductor run` with `--input ticket=…`',
    ],
    ['required, before a run', 'task.a.v1', '', [], 'pass `--input ticket=…`'],
  ])('the help fits the command that shows it: %s', (_, ref, requested, inputs, help) => {
    const { diagnostics } = check(prompt(ref, requested), { names, inputs });
    expect(diagnostics.map((diagnostic) => diagnostic.help)).toEqual([help]);
  });

  it.each<[string, string, string, string[], [string, string] | null]>([
    ['nothing is given', 'do it', '', [], null],
    ['the task, whatever the prompt is', 'do it', '', ['task'], null],
    ['one that a step lists', 'do it', 'colour', ['colour'], null],
    ['one that the prompt declares', 'task.a.v1', 'ticket', ['ticket', 'hint'], null],
    [
      'one that nobody takes',
      'task.a.v1',
      'ticket',
      ['ticket', 'colour'],
      ['no step takes the input `colour`', 'the workflow takes `task`, `ticket`, `hint`'],
    ],
    [
      'one that is misspelt, though another is missing for it',
      'task.b.v1',
      '',
      ['tsak'],
      ['no step takes the input `tsak`', 'did you mean `task`? the workflow takes `task`'],
    ],
    [
      'one that the run sets, even where a step lists it',
      'do it',
      'diff',
      ['diff'],
      ['the input `diff` is set by the runtime', 'the workflow takes `task`'],
    ],
    ['nothing is said where the prompt itself is unknown', 'task.c.v1', '', ['colour'], null],
  ])('given to a run: %s', (_, ref, requested, given, expected) => {
    const checked = check(prompt(ref, requested), { names, inputs: given });
    const unused = findUnusedInput(checked, names.prompts, given);
    expect(unused && [unused.message, unused.help]).toEqual(expected);
  });
});

describe('an inline prompt', () => {
  const readTemplate = createTemplateReader();
  const inline = (text: string, inputs = '') =>
    step(
      'prompt: do the work',
      `prompt: ${JSON.stringify(text)}${inputs === '' ? '' : `\n    inputs: [${inputs}]`}`,
    );

  it.each<[string, string, string, string[] | null, string[]]>([
    ['text without braces', 'do the work', '', null, []],
    ['single braces and a percentage', 'keep { this } at 100 % }', '', null, []],
    ['the task', 'Do {{ task }}', '', null, []],
    ['the task without blanks', 'Do {{task}}', '', null, []],
    ['the task with a filter', 'Do {{ task | upcase }}', '', null, []],
    ['the task in a condition', 'Do {% if task %}{{ task }}{% endif %}', '', null, []],
    ['what the runtime supplies', '{{ run_id }} {{ diff }} {{ refinement | json }}', '', null, []],
    ['a variable of its own', '{% assign x = task %}do {{ x }}', '', null, []],
    ['a variable of a loop', '{% for b in blockers %}{{ b }} {% endfor %}', '', null, []],
    ['raw braces', 'Do {% raw %}{{ anything }} {% x %}{% endraw %}', '', null, []],
    ['an unknown variable', 'Do {{ area }}', '', null, ['WF509']],
    ['an unknown variable in a condition', 'Do {% if area %}it{% endif %}', '', null, ['WF509']],
    ['two unknown variables', 'Do {{ area }} {{ colour }}', '', null, ['WF509', 'WF509']],
    ['a property of an unknown variable', 'Do {{ area.name }}', '', null, ['WF509']],
    ['an unknown filter', 'Do {{ task | shout }}', '', null, ['WF509']],
    ['an unknown tag', 'Do {% shout %} it', '', null, ['WF509']],
    ['a tag that is not closed', 'Do {{ task', '', null, ['WF509']],
    ['a file to include', "Do {% include 'a' %}", '', null, ['WF509']],
    ['a variable that the step lists', 'Do {{ area }}', 'area', null, ['WF510']],
    ['a variable that the step lists and the run is given', 'Do {{ area }}', 'area', ['area'], []],
    ['a variable that the step lists and the run is not given', 'Do {{ area }}', 'area', [], ['WF508']],
    ['a variable that the run is given', 'Do {{ area }}', '', ['area'], []],
    ['a variable that the run is not given', 'Do {{ area }}', '', [], ['WF509']],
    ['the task that the run is not given', 'Do {{ task }}', '', [], ['WF508']],
    ['the task that the run is given', 'Do {{ task }}', '', ['task'], []],
  ])('with %s', (_, text, listed, inputs, expected) => {
    expect(codes(check(inline(text, listed), { names, inputs, readTemplate }))).toEqual(expected);
  });

  it.each([
    ['an unknown variable', 'Do {{ area }}'],
    ['a variable that is misspelt', 'Do {{ tsak }}'],
    ['a template with an error', 'Do {{ }'],
  ])('with %s is reported with the way to write literal braces', (_, text) => {
    const [first] = check(inline(text), { names, readTemplate }).diagnostics;
    expect(first?.message).toContain('for literal braces write `{% raw %}…{% endraw %}`');
  });

  it.each<[string, string[] | null, string]>([
    ['Do {{ tsak }}', null, 'did you mean `task`?'],
    ['Do {{ aera }}', ['area'], 'did you mean `area`?'],
    [
      'Do {{ area }}',
      null,
      'list it in `inputs` of the step, and pass it to `conductor run` with `--input area=…`',
    ],
    ['Do {{ area }}', [], 'list it in `inputs` of the step, and pass `--input area=…`'],
  ])('%j with the inputs %j has the help %j', (text, inputs, help) => {
    const { diagnostics } = check(inline(text), { names, inputs, readTemplate });
    expect(diagnostics.map((diagnostic) => diagnostic.help)).toEqual([help]);
  });

  it.each<[string, string[]]>([
    ['write to ${run_dir}', ['WF315']],
    ['write ${a} and ${b}', ['WF315']],
    ['an open ${ is text', []],
    ['costs $5 {now}', []],
  ])('%j has the warnings %j', (text, expected) => {
    expect(codes(check(inline(text), { names, readTemplate }))).toEqual(expected);
  });

  it.each<[string, string, string[], [string, string] | null]>([
    ['one that it uses', 'Do {{ area }}', ['area'], null],
    ['one that it uses in a condition', 'Do {% if area %}it{% endif %}', ['area'], null],
    ['the task, which it does not use', 'Do it', ['task'], null],
    [
      'one that it does not use',
      'Do {{ task }} in {{ area }}',
      ['task', 'area', 'colour'],
      ['no step takes the input `colour`', 'the workflow takes `task`, `area`'],
    ],
    [
      'one that stands in raw braces only',
      'Do {% raw %}{{ area }}{% endraw %}',
      ['area'],
      ['no step takes the input `area`', 'the workflow takes `task`'],
    ],
    [
      'one in place of the task',
      'Do {{ task }}',
      ['tsak'],
      ['no step takes the input `tsak`', 'did you mean `task`? the workflow takes `task`'],
    ],
  ])('given to a run: %s', (_, text, given, expected) => {
    const checked = check(inline(text), { names, inputs: given, readTemplate });
    const unused = findUnusedInput(checked, names.prompts, given, readTemplate);
    expect(unused && [unused.message, unused.help]).toEqual(expected);
  });
});

describe('a policy of a validation step', () => {
  const withPolicy = (policy: string) =>
    workflow('a', validation('a', 'STOP').replace('    run:', `    policy: ${policy}\n    run:`));
  it.each([
    ['policy.strict.v2', []],
    ['policy.workspace.v1', []],
    ['policy.strict.v1', ['WF503']],
    ['strict', ['WF303']],
    ["''", ['WF011']],
  ])('%s is checked like that of an agent step', (policy, expected) => {
    expect(codes(check(withPolicy(policy), { names }))).toEqual(expected);
  });

  it('tightens that of the workflow', () => {
    const text = withPolicy('policy.strict.v2').replace(
      'steps:',
      'defaults: { policy: policy.workspace.v1 }\nsteps:',
    );
    expect(check(text, { names }).plan?.steps[0]).toMatchObject({
      policies: ['policy.workspace.v1', 'policy.strict.v2'],
    });
  });
});
