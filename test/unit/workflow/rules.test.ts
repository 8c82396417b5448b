import { describe, expect, it } from 'vitest';
import { isHarnessReport } from '../../../src/workflow/rules/paths/golden-gate.ts';
import { promptForm } from '../../../src/workflow/rules/steps/prompt-forms.ts';
import { findSubstitutions } from '../../../src/workflow/rules/steps/substitutions.ts';
import {
  agent,
  check,
  checkWithAdvice,
  codes,
  KILLS,
  mutate,
  places,
  validation,
  workflow,
} from './check.ts';

const STEP = agent('a', 'STOP');

describe('ids', () => {
  it.each(['a', 'A1', '9', 'a_b-c', 'x'.repeat(64)])('the step id %s is fine', (id) => {
    expect(codes(check(workflow(`"${id}"`, agent(`"${id}"`, 'STOP'))))).toEqual([]);
  });

  it.each(['_a', '-a', 'a.b', 'a b', 'ä', '', 'x'.repeat(65), 'a/b', 'checkpoint:a'])(
    'the step id %j is malformed',
    (id) => {
      expect(codes(check(workflow(`"${id}"`, agent(`"${id}"`, 'STOP'))))).toEqual(['WF011']);
    },
  );

  it.each(['7', '1e3', '0x1F', 'true'])(
    'an unquoted %s as workflow_id gets the advice to quote it',
    (word) => {
      const { diagnostics } = check(workflow('a', STEP).replace('workflow_id: demo', `workflow_id: ${word}`));
      expect(diagnostics.map(({ code, help }) => [code, help])).toEqual([
        ['WF009', `put it in quotes: \`"${word}"\``],
      ]);
    },
  );

  it('a workflow id may have dots', () => {
    expect(codes(check(workflow('a', STEP).replace('workflow_id: demo', 'workflow_id: a.b-c_1')))).toEqual(
      [],
    );
  });

  it('the bare STOP is no entry step, a declared one is', () => {
    expect(codes(check(workflow('STOP', STEP)))).toEqual(['WF103']);
    expect(codes(check(workflow('STOP', '  - { id: STOP, opcode: STOP, reason: nothing to do }\n')))).toEqual(
      [],
    );
  });

  it('a declared STOP with another id can be routed to', () => {
    expect(codes(check(workflow('a', `${agent('a', 'done')}  - { id: done, opcode: STOP }\n`)))).toEqual([]);
  });
});

describe('one mistake is reported once', () => {
  it.each<[string, string, string[]]>([
    ['an entry step without an id', mutate(['- id: "synthesize"\n    opcode', '- opcode']), ['WF008 12:5']],
    ['a later step without an id', mutate(['- id: "fix"\n    opcode', '- opcode']), ['WF008 53:5']],
    ['an id that was left empty', mutate(['- id: "fix"', '- id:']), ['WF009 53:5']],
    [
      'a misspelt route beside a step without an id',
      mutate(['- id: "golden_gate"\n    opcode', '- opcode'], ['partial: "fix"', 'partial: "fixx"']),
      ['WF202 47:16', 'WF008 66:5'],
    ],
    [
      'routes that are left out on the way, and what lies behind them',
      `${workflow('a', '')}${['a', 'b', 'c'].map((id) => `  - { id: ${id}, opcode: RUN_AGENT, agent: codex, prompt: do it }\n`).join('')}`,
      ['WF008 6:7', 'WF008 7:7', 'WF008 8:7'],
    ],
    [
      'a bracket that is not closed, at the bracket',
      workflow('a', validation('a', 'STOP', '[tests')),
      ['WF002 8:10'],
    ],
    [
      'a brace that is not closed, at the brace',
      workflow('a', STEP.replace(' }', '') + agent('b', 'STOP')),
      ['WF002 10:13'],
    ],
    [
      'a mark that is no boolean',
      workflow('a', STEP + agent('b', 'STOP', '    allow_unreachable: yes\n')),
      ['WF009 15:24'],
    ],
    [
      'a mark that says no',
      workflow('a', STEP + agent('b', 'STOP', '    allow_unreachable: false\n')),
      ['WF401 11:9'],
    ],
  ])('%s', (_, text, expected) => {
    expect(places(check(text))).toEqual(expected);
  });
});

it('lines may end with a carriage return alone', () => {
  const text = workflow('a', STEP.replace('agent: codex', 'agnt: codex'));
  expect(places(check(text.replaceAll('\n', '\r')))).toEqual(places(check(text)));
});

describe('help', () => {
  it.each<[string, string, string]>([
    ['version: 1', 'version: "2"', 'remove the quotes: `2`'],
    ['version: 1', 'x-version: 1', 'add `version`: the version of the workflow, recorded with each run'],
    ['    prompt', '    allow_unreachable: "Yes"\n    prompt', 'write `true`'],
    ['    prompt', '    allow_unreachable: off\n    prompt', 'write `false`'],
    ['    prompt', '    inputs: diff\n    prompt', 'make it a list: `[diff]`'],
    ['error: STOP, ', '', 'add `error`, with the id of a step or STOP'],
  ])('for %j written as %j is %j', (from, to, help) => {
    const { diagnostics } = check(workflow('a', STEP).replace(from, to));
    expect(diagnostics.map((diagnostic) => diagnostic.help)).toEqual([help]);
  });
});

it('a missing route is reported with its possible targets', () => {
  const { diagnostics } = check(mutate(['      unsafe: "STOP"\n', '']));
  expect(diagnostics.map(({ help }) => help)).toEqual([
    'add `unsafe`, with the id of a ROLLBACK step or STOP',
  ]);
});

describe('limits beside `limits`', () => {
  const beside = (step: string) =>
    check(workflow('a', step)).diagnostics.map(({ code, notes, help }) => [code, notes, help]);

  it('are reported with where they belong', () => {
    expect(beside(agent('a', 'STOP', '    max_visits: 2\n'))).toEqual([
      ['WF007', [], 'write it under `limits`: `limits: { max_visits: … }`'],
    ]);
    expect(beside(agent('a', 'STOP', '    timeout: 5m\n'))).toEqual([
      ['WF007', ['it belongs to GATE'], 'write it under `limits`: `limits: { timeout: … }`'],
    ]);
  });

  it('are not also said to be missing', () => {
    const { diagnostics } = checkWithAdvice(workflow('a', agent('a', 'STOP', '    max_visits: 2\n')));
    expect(diagnostics.map(({ code }) => code)).not.toContain('WF312');
  });

  it('are not referred to a place where a step has none', () => {
    const step = '  - { id: a, opcode: STOP, timeout: 5m }\n';
    expect(beside(step)).toEqual([['WF007', ['it belongs to GATE'], 'remove it']]);
  });
});

describe('free keys', () => {
  it('x- keys are allowed in every mapping that has known keys', () => {
    const text = mutate(
      ['version: 1', 'version: 1\nx-team: core'],
      ['  component_kind', '  x-a: 1\n  component_kind'],
      ['    agent:', '    x-b: [1, 2]\n    agent:'],
      ['      completed:', '      x-c: nowhere\n      completed:'],
      ['        kind:', '        x-d: { deep: true }\n        kind:'],
    );
    expect(codes(check(text))).toEqual([]);
  });
});

describe('routes', () => {
  const gate = (routes: string, more = '') =>
    workflow('g', `  - id: g\n    opcode: GATE\n    gate: any label\n${more}    routes: { ${routes} }\n`);

  it.each<[string, string, string, string[]]>([
    [
      'approved and rejected are enough without a timeout',
      'gate_approved: STOP, gate_rejected: STOP',
      '',
      [],
    ],
    ['an error route is allowed', 'gate_approved: STOP, gate_rejected: STOP, error: STOP', '', []],
    [
      'a timeout wants gate_timed_out',
      'gate_approved: STOP, gate_rejected: STOP',
      '    timeout: 5\n',
      ['WF204'],
    ],
    [
      'killed_timeout stands in for it',
      'gate_approved: STOP, gate_rejected: STOP, killed_timeout: STOP',
      '    timeout: 5\n',
      [],
    ],
    [
      'killed_idle is no key of a gate',
      'gate_approved: STOP, gate_rejected: STOP, killed_idle: STOP',
      '',
      ['WF007'],
    ],
    ['rejected is required', 'gate_approved: STOP', '', ['WF201']],
  ])('a gate: %s', (_, routes, more, expected) => {
    expect(codes(check(gate(routes, more)))).toEqual(expected);
  });

  it('the fallback of a gate timeout is resolved in the plan', () => {
    const { plan } = check(
      gate('gate_approved: STOP, gate_rejected: STOP, killed_timeout: g', '    timeout: 2h\n'),
    );
    expect(plan?.steps[0]).toMatchObject({
      timeoutMs: 7_200_000,
      routes: { gate_timed_out: 'g', error: null },
    });
  });

  it('missing kills are one warning for all steps, which names them', () => {
    const bare = (id: string, to: string) => agent(id, to).replace(`, ${KILLS}`, '');
    const { diagnostics } = check(workflow('a', bare('a', 'b') + bare('b', 'c') + agent('c', 'STOP')));
    expect(diagnostics.map(({ code, message }) => [code, message])).toEqual([
      ['WF203', '2 steps have no route for `killed_timeout`, `killed_idle` and `killed_policy`: `a`, `b`'],
    ]);
  });

  it('missing kills fall back to error in the plan', () => {
    const text = workflow('a', STEP.replace(`, ${KILLS}`, ', killed_idle: a'));
    const { diagnostics, plan } = check(text);
    expect(diagnostics.map(({ code, severity }) => [code, severity])).toEqual([['WF203', 'warning']]);
    expect(plan?.steps[0]).toMatchObject({
      routes: { killed_timeout: 'STOP', killed_idle: 'a', killed_policy: 'STOP' },
    });
  });

  it('a missing blocked route means STOP', () => {
    const { diagnostics, plan } = check(mutate(['      blocked: "STOP"\n', '']));
    expect(diagnostics).toEqual([]);
    expect(plan?.stepsById.evaluate).toMatchObject({ routes: { blocked: 'STOP' } });
  });

  it('a declared STOP step need not be in allowed_next_steps, and may be the target of unsafe', () => {
    const text = mutate(
      ['unsafe: "STOP"', 'unsafe: "halt"'],
      ['needs_human: "golden_gate"', 'needs_human: "halt"'],
      ['success: "STOP"', 'success: "golden_gate"'],
    );
    expect(codes(check(`${text}  - { id: halt, opcode: STOP, reason: unsafe }\n`))).toEqual([]);
  });

  it('an empty allowed_next_steps is one error', () => {
    expect(codes(check(mutate(['["fix", "golden_gate", "STOP"]', '[]'])))).toEqual(['WF011']);
  });
});

describe('reachability', () => {
  it('what only marked steps lead to counts as reachable', () => {
    const marked = agent('spare', 'after', '    allow_unreachable: true\n');
    expect(codes(check(workflow('a', STEP + marked + agent('after', 'STOP'))))).toEqual([]);
  });

  it('every unreachable step is named', () => {
    expect(places(check(workflow('a', STEP + agent('b', 'c') + agent('c', 'STOP'))))).toEqual([
      'WF401 11:9',
      'WF401 16:9',
    ]);
  });

  it('a step that is only listed in allowed_next_steps is unreachable', () => {
    expect(codes(check(mutate(['partial: "fix"', 'partial: "golden_gate"'])))).toEqual(['WF401']);
  });
});

describe('loops', () => {
  const spin = (id: string, to: string, error: string) =>
    `  - id: ${id}\n    opcode: RUN_AGENT\n    agent: codex\n    prompt: go on\n    routes: { completed: ${to}, error: ${error}, killed_timeout: ${error}, killed_idle: ${error}, killed_policy: ${error} }\n`;

  it.each<[string, string, string[]]>([
    [
      'a loop without any way out is a warning',
      agent('a', 'b') + spin('b', 'c', 'b') + spin('c', 'b', 'c'),
      ['WF403'],
    ],
    [
      'a loop that only failures leave is a warning',
      spin('a', 'b', 'STOP') + spin('b', 'a', 'STOP'),
      ['WF403'],
    ],
    ['a step that leads to itself is a loop', agent('a', 'b') + spin('b', 'b', 'b'), ['WF403']],
    ['a retry that ends by completing is fine', spin('a', 'STOP', 'a'), []],
    [
      'no STOP at all is an error, and the loop is not reported as well',
      spin('a', 'b', 'a') + spin('b', 'a', 'b'),
      ['WF402'],
    ],
  ])('%s', (_, steps, expected) => {
    expect(codes(check(workflow('a', steps)))).toEqual(expected);
  });

  it('a STOP that is only the default of blocked is a STOP', () => {
    const judge = `  - id: a\n    opcode: EVALUATE\n    prompt: planner.x.v1\n    allowed_next_steps: [a, g, r]\n    routes: { success: a, partial: a, unsafe: r, needs_human: g }\n`;
    const rest = `  - { id: g, opcode: GATE, gate: ok, routes: { gate_approved: a, gate_rejected: a } }\n  - id: r\n    opcode: ROLLBACK\n    target: pre_run\n    routes: { completed: a, error: a, killed_timeout: a, killed_idle: a, killed_policy: a }\n`;
    expect(codes(check(workflow('a', judge + rest)))).toEqual([]);
  });
});

describe('validated success', () => {
  it.each<[string, string, string[]]>([
    ['an agent after the last validation is reported', validation('a', 'b') + agent('b', 'STOP'), ['WF405']],
    ['an agent before a validation is not', agent('a', 'b') + validation('b', 'STOP'), []],
    ['a workflow without validators has nothing to skip', agent('a', 'b') + agent('b', 'STOP'), []],
    [
      'only the last agent of the path is reported',
      agent('a', 'b') +
        agent('b', 'STOP') +
        validation('v', 'STOP').replace('    run:', '    allow_unreachable: true\n    run:'),
      ['WF405'],
    ],
  ])('%s', (_, steps, expected) => {
    expect(codes(check(workflow('a', steps)))).toEqual(expected);
  });
});

describe('goldens', () => {
  it.each<[string, boolean]>([
    ['harness_report.json', true],
    ['out/my_harness_report-*.json', true],
    ['*.json', false],
    ['harness_report.xml', false],
    ['harness_report/out.json', false],
  ])('the artifact %s is a declared harness report: %s', (artifact, expected) => {
    expect(isHarnessReport(artifact)).toBe(expected);
  });

  const noGate = (validator: string) => workflow('a', validation('a', 'STOP', `[{ id: v, ${validator} }]`));

  it.each<[string, string[]]>([
    ['kind: script, entrypoint: ./v, artifacts: [harness_report.json]', ['WF404']],
    ['kind: script, entrypoint: ./v, may_propose_goldens: true', ['WF404']],
    ['kind: script, entrypoint: ./v, artifacts: [harness_report.json], may_propose_goldens: false', []],
    ['kind: script, entrypoint: ./v, artifacts: ["*.json"]', []],
    ['kind: builtin, artifacts: [harness_report.json]', []],
  ])('{ %s } without a gate gives %j', (validator, expected) => {
    expect(codes(check(noGate(validator)))).toEqual(expected);
  });

  it('a gate that only an earlier EVALUATE leads to does not count', () => {
    const text = mutate(
      ['completed: "evaluate"', 'completed: "STOP"'],
      ['error: "evaluate"', 'error: "STOP"'],
      ['killed_timeout: "evaluate"', 'killed_timeout: "STOP"'],
      ['killed_idle: "evaluate"', 'killed_idle: "STOP"'],
      ['killed_policy: "evaluate"', 'killed_policy: "STOP"'],
      ['completed: "execute_harness"', 'completed: "evaluate"'],
    );
    expect(codes(check(text))).toEqual(['WF405', 'WF404']);
  });
});

describe('substitutions and paths', () => {
  it.each<[string, [string | null, number][]]>([
    ['plain $x $$ {y}', []],
    ['${run_id}', [['run_id', 0]]],
    [
      'a/${run_dir}/${repo}',
      [
        ['run_dir', 2],
        ['repo', 13],
      ],
    ],
    ['a ${run_id', [[null, 2]]],
    ['${}', [['', 0]]],
  ])('%s holds %j', (text, expected) => {
    expect(findSubstitutions(text).map(({ name, index }) => [name, index])).toEqual(expected);
  });

  const script = (fields: string) =>
    workflow('a', validation('a', 'STOP', `[{ id: v, kind: script, ${fields} }]`));

  it.each<[string, string[]]>([
    ['entrypoint: "./tools/v.sh"', []],
    ['entrypoint: "tools/v.sh", cwd: "."', []],
    ['entrypoint: ".tnh/run/${run_id}/harness/v.py"', []],
    ['entrypoint: "${run_dir}/harness/v.py", cwd: "${worktree}/web"', []],
    ['entrypoint: python3, args: ["${repo}/x", "${worktree}", "../y", "/z"]', []],
    ['entrypoint: ./v, artifacts: ["${run_dir}/a/**", "a..b/c", "..."]', []],
    ['entrypoint: ./v, report: "junit:${x}/*.xml"', []],
    ['entrypoint: /bin/sh', ['WF308']],
    ['entrypoint: "C:/x.exe"', ['WF308']],
    ['entrypoint: "../v.sh"', ['WF308']],
    ['entrypoint: "a/../../v.sh"', ['WF308']],
    ['entrypoint: "${run_dir}/../x"', ['WF308']],
    ['entrypoint: "${run_dir}x/y"', ['WF307']],
    ['entrypoint: ./v, cwd: ".."', ['WF308']],
    ['entrypoint: ./v, cwd: "${repo}"', ['WF307']],
    ['entrypoint: ./v, artifacts: ["{a,..}/b"]', ['WF308']],
    ['entrypoint: ./v, artifacts: ["/etc/*"]', ['WF308']],
    ['entrypoint: ./v, artifacts: ["${repo}/x"]', ['WF307']],
    ['entrypoint: ./v, args: ["${home}"]', ['WF305']],
    ['entrypoint: ./v, args: ["${RUN_ID}"]', ['WF305']],
    ['entrypoint: ./v, args: ["${"]', ['WF306']],
    ['entrypoint: ./v, args: [5]', ['WF009']],
    ['entrypoint: ./v, report: "junit:/tmp/*.xml"', ['WF308']],
  ])('{ %s } gives %j', (fields, expected) => {
    expect(codes(check(script(fields)))).toEqual(expected);
  });

  it.each<[string, string, string, string[]]>([
    ['a description', 'description: d', 'description: about ${nothing}', []],
    ['a description, unclosed', 'description: d', 'description: about ${', []],
    ['a prompt, with a warning', 'do the work', 'fix ${this}', ['WF315']],
    ['a prompt, unclosed', 'do the work', 'fix ${', []],
  ])('is plain text in %s', (_, from, to, expected) => {
    expect(codes(check(workflow('a', STEP).replace(from, () => to)))).toEqual(expected);
  });

  it.each(['/abs', '../up', 'a/../../b'])('artifacts_dir does not leave the repository by %s', (folder) => {
    expect(codes(check(workflow('a', STEP, `defaults: { artifacts_dir: ${folder} }\n`)))).toEqual(['WF308']);
  });
});

/** Pattern A with limits, and so without the advice to have some. */
const LIMITED = ['  component_kind', '  limits: { max_visits: 5 }\n  component_kind'] as const;

describe('limits', () => {
  const limited = (own: string, shared: string) =>
    check(
      workflow('a', agent('a', 'STOP', `    limits: { ${own} }\n`), `defaults: { limits: { ${shared} } }\n`),
    );

  it('the tighter of step and workflow holds, and a looser step is a warning', () => {
    const { diagnostics, plan } = limited(
      'timeout: 2h, idle_timeout: 10s, max_visits: 9',
      'timeout: 1h, idle_timeout: 1m, max_visits: 4',
    );
    expect(diagnostics.map(({ code, severity }) => `${code} ${severity}`)).toEqual([
      'WF309 warning',
      'WF309 warning',
    ]);
    expect(plan?.steps[0]).toMatchObject({ timeoutMs: 3_600_000, idleTimeoutMs: 10_000, maxVisits: 4 });
  });

  it('the configured defaults are no cap', () => {
    const { diagnostics, plan } = limited('timeout: 5h, max_visits: 50', '');
    expect(diagnostics).toEqual([]);
    expect(plan?.steps[0]).toMatchObject({ timeoutMs: 18_000_000, idleTimeoutMs: 300_000, maxVisits: 50 });
  });

  it('budgets of the workflow are for the run, those of a step for the step', () => {
    const { plan } = limited('token_budget: 10', 'token_budget: 100, cost_budget_usd: 2.5');
    expect(plan?.budgets).toEqual({ tokens: 100, costUsd: 2.5 });
    expect(plan?.steps[0]).toMatchObject({ budgets: { tokens: 10, costUsd: null } });
  });

  it.each(['max_visits: 0', 'max_visits: 1.5', 'token_budget: -1', 'cost_budget_usd: 0', 'timeout: 0s'])(
    'refuses { %s }',
    (own) => {
      expect(limited(own, '').plan).toBeNull();
    },
  );

  it.each<[string, string[]]>([
    ['timeout: 5m, max_visits: 2', []],
    ['token_budget: 10', ['WF314']],
    ['cost_budget_usd: 0.5', ['WF314']],
    ['token_budget: 10, cost_budget_usd: 0.5', ['WF314', 'WF314']],
    ['token_budget: 999', ['WF314']],
    ['token_budget: many', ['WF314', 'WF009']],
  ])('on a validation, { %s } gives %j', (limits, expected) => {
    const steps = validation('a', 'STOP').replace('    run:', `    limits: { ${limits} }\n    run:`);
    expect(codes(check(workflow('a', steps, 'defaults: { limits: { token_budget: 100 } }\n')))).toEqual(
      expected,
    );
  });

  it('a budget on an EVALUATE step is for the step, as on an agent step', () => {
    const limits = '    limits: { token_budget: 10, cost_budget_usd: 0.5 }\n    allowed_next_steps';
    const { diagnostics, plan } = check(mutate(['    allowed_next_steps', limits], LIMITED));
    expect(diagnostics).toEqual([]);
    expect(plan?.stepsById.evaluate).toMatchObject({ budgets: { tokens: 10, costUsd: 0.5 } });
  });

  it('limits do not stand on a gate', () => {
    expect(
      codes(
        check(mutate(['    gate: "requires', '    limits: { max_visits: 1 }\n    gate: "requires'], LIMITED)),
      ),
    ).toEqual(['WF007']);
  });
});

describe('revision', () => {
  const revised = (revision: string) =>
    check(mutate(['    allowed_next_steps', `    revision: ${revision}\n    allowed_next_steps`]));

  it('counts one attempt where nothing is said', () => {
    expect(revised('{ step: fix }').plan?.stepsById.evaluate).toMatchObject({
      revision: { step: 'fix', maxAttempts: 1 },
    });
  });

  it.each<[string, string[]]>([
    ['{ step: fix, max_attempts: 1 }', []],
    ['{ step: fix, max_attempts: 3 }', ['WF311']],
    ['{ step: fix, max_attempts: 4 }', ['WF011']],
    ['{ step: fix, max_attempts: 0 }', ['WF011']],
    ['{ step: golden_gate }', ['WF310']],
    ['{ step: nobody }', ['WF310']],
    ['{ max_attempts: 1 }', ['WF008']],
  ])('%s gives %j', (revision, expected) => {
    expect(codes(revised(revision))).toEqual(expected);
  });
});

describe('prompts', () => {
  it.each<[string, string]>([
    ['task.fix.v1', 'reference'],
    ['fix.v12', 'reference'],
    ['a-b.c_d.v3', 'reference'],
    ['fix it', 'inline'],
    ['fix\n', 'inline'],
    ['task.fix', 'malformed'],
    ['task.fix.v0', 'malformed'],
    ['task..v1', 'malformed'],
    ['.v1', 'malformed'],
    ['v1', 'malformed'],
  ])('%j is %s', (prompt, form) => {
    expect(promptForm(prompt)).toBe(form);
  });
});

describe('validators', () => {
  it.each<[string, string[]]>([
    ['[tests, lint]', []],
    ['[tests, tests]', ['WF105']],
    ['[tests, { id: tests, kind: builtin }]', ['WF105']],
    ['[{ id: v, kind: script }]', ['WF008']],
    ['[{ id: v, kind: builtin, entrypoint: ./v }]', ['WF007']],
    ['[{ kind: builtin }]', ['WF008']],
    ['[{ id: v }]', ['WF008']],
    ['[{ id: ../v, kind: builtin }]', ['WF011']],
    ['[{ id: v, kind: builtin, retries: 2, report: "tap:stdout", timeout: 5m }]', []],
    ['[{ id: v, kind: builtin, report: "tap:file" }]', ['WF011']],
    ['[{ id: v, kind: builtin, retries: -1 }]', ['WF011']],
    ['tests', ['WF009']],
    ['[]', ['WF011']],
  ])('run: %s gives %j', (run, expected) => {
    expect(codes(check(workflow('a', validation('a', 'STOP', run))))).toEqual(expected);
  });
});
