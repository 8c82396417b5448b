import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { agent, checkWithAdvice, codes, KILLS, patternA, validation, workflow } from '../check.ts';

const ROOT = join(import.meta.dirname, '../../../..');
const LIMITS = 'defaults: { limits: { timeout: 10m } }\n';

const advise = (entry: string, steps: string, defaults = LIMITS) =>
  codes(checkWithAdvice(workflow(entry, steps, defaults)));

const gate = (id: string, routes: string, more = '') =>
  `  - id: ${id}\n    opcode: GATE\n    gate: ok\n${more}    routes: { gate_approved: STOP, gate_rejected: STOP${routes} }\n`;

const checkThen = (completed: string, error: string) =>
  validation('check', completed).replace('error: STOP', `error: ${error}`);

const judge = `  - id: judge
    opcode: EVALUATE
    prompt: planner.x.v1
    allowed_next_steps: [ask]
    routes: { success: STOP, partial: STOP, unsafe: STOP, needs_human: ask }
`;

describe('routes that are never taken', () => {
  it.each<[string, string, string, string[]]>([
    ['gate_timed_out without a timeout', ', gate_timed_out: STOP', '', ['WF209']],
    ['killed_timeout without a timeout', ', killed_timeout: STOP', '', ['WF209']],
    ['both without a timeout are one cause', ', gate_timed_out: STOP, killed_timeout: STOP', '', ['WF209']],
    [
      'killed_timeout beside gate_timed_out',
      ', gate_timed_out: STOP, killed_timeout: STOP',
      '    timeout: 5m\n',
      ['WF209'],
    ],
    ['a timeout with its route is fine', ', gate_timed_out: STOP', '    timeout: 5m\n', []],
    ['a timeout with its fallback is fine', ', killed_timeout: STOP', '    timeout: 5m\n', []],
    ['no route and no timeout is fine', '', '', []],
  ])('%s', (_, routes, more, expected) => {
    expect(advise('g', gate('g', routes, more))).toEqual(expected);
  });
});

describe('approvers', () => {
  it.each<[string, string[]]>([
    ['[]', ['WF313']],
    ['[ann]', []],
    ['[" "]', ['WF011']],
  ])('%s gives %j', (approvers, expected) => {
    expect(advise('g', gate('g', '', `    approvers: ${approvers}\n`))).toEqual(expected);
  });
});

describe('limits of agents', () => {
  const steps = (limits: string) => agent('a', 'b', limits) + validation('b', 'STOP');

  it.each<[string, string, string, string[]]>([
    ['none at all', '', '', ['WF312']],
    ['an empty mapping', '    limits: {}\n', '', ['WF312']],
    ['a free key only', '    limits: { x-why: none }\n', '', ['WF312']],
    ['on the step', '    limits: { max_visits: 2 }\n', '', []],
    ['in defaults', '', 'defaults: { limits: { cost_budget_usd: 5 } }\n', []],
    ['other defaults only', '', 'defaults: { component_kind: cli }\n', ['WF312']],
    ['a misspelt one is reported as misspelt', '    limits: { tiemout: 5m }\n', '', ['WF007']],
    ['one that is no mapping is reported as such', '    limits: 5m\n', '', ['WF009']],
  ])('%s', (_, own, defaults, expected) => {
    expect(advise('a', steps(own), defaults)).toEqual(expected);
  });
});

describe('validations without an evaluation', () => {
  it.each<[string, string, string[]]>([
    ['both outcomes lead to a gate', checkThen('ask', 'ask') + gate('ask', ''), ['WF406']],
    ['a failure stops', checkThen('ask', 'STOP') + gate('ask', ''), []],
    ['a failure is evaluated', checkThen('ask', 'judge') + judge + gate('ask', ''), []],
    ['both are evaluated', checkThen('judge', 'judge') + judge + gate('ask', ''), []],
    [
      'a target that is wrong is reported as such',
      checkThen('elsewhere', 'ask') + gate('ask', ''),
      ['WF202'],
    ],
  ])('%s', (_, rest, expected) => {
    expect(advise('work', agent('work', 'check') + rest)).toEqual(expected);
  });
});

describe('ends that are unverified', () => {
  it.each<[string, string, string[]]>([
    ['no validator in the workflow', agent('work', 'ask') + gate('ask', ''), ['WF407']],
    ['an agent after the validation is reported as such', checkFirst(), ['WF405']],
    [
      'a failure that a person waves through',
      agent('work', 'check') + checkThen('STOP', 'ask') + gate('ask', ''),
      ['WF407'],
    ],
    [
      'a failed agent that a person waves through',
      agent('work', 'check').replace('error: STOP', 'error: ask') +
        validation('check', 'STOP') +
        gate('ask', ''),
      ['WF407'],
    ],
    [
      'a failure that was evaluated is left to a reviewer',
      agent('work', 'check') + checkThen('judge', 'judge') + judge + gate('ask', ''),
      [],
    ],
    [
      'what is rolled back needs no validation',
      agent('work', 'undo') +
        `  - { id: undo, opcode: ROLLBACK, target: pre_run, routes: { completed: STOP, error: STOP, ${KILLS} } }\n`,
      [],
    ],
    ['a workflow without an agent', gate('work', ''), []],
  ])('%s', (_, steps, expected) => {
    expect(advise('work', steps)).toEqual(expected);
  });

  function checkFirst(): string {
    return validation('work', 'polish') + agent('polish', 'STOP');
  }
});

describe('what is shipped', () => {
  it('pattern A is valid, with advice on its missing limits and its idle route', () => {
    const checked = checkWithAdvice(patternA);
    expect(checked.plan).not.toBeNull();
    expect(codes(checked)).toEqual(['WF312', 'WF312', 'WF209']);
  });

  const files = ['workflows', 'examples/workflows'].flatMap((folder) =>
    readdirSync(join(ROOT, folder)).map((name) => join(folder, name)),
  );

  const roles = files.filter((path) => path.startsWith(join('workflows', 'work.')));
  const others = files.filter((path) => !roles.includes(path));
  const adviceOf = (path: string) => codes(checkWithAdvice(readFileSync(join(ROOT, path), 'utf8')));

  it.each([...others, 'examples/demo/repository/.tnh/workflow.yaml'])('%s gets no advice', (path) => {
    expect(adviceOf(path)).toEqual([]);
  });

  it.each(roles)('%s leaves its limits to the configuration, which is its only advice', (path) => {
    expect(new Set(adviceOf(path))).toEqual(new Set(['WF312']));
  });
});
