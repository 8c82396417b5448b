import { describe, expect, it } from 'vitest';
import type { BaselineValidator } from '../../../src/contracts/run/baseline.ts';
import type { PlanValidator } from '../../../src/kernel/plan.ts';
import {
  type BaselineFacts,
  decideBaseline,
  findScript,
  hasNoPass,
  type ScriptAtBase,
} from '../../../src/runtime/effects/validation/baseline-verdict.ts';

const PRESENT: ScriptAtBase = { kind: 'present' };
const ABSENT: ScriptAtBase = { kind: 'absent' };
const file = (path: string): ScriptAtBase => ({ kind: 'file', path });

function script(entrypoint: string, args: readonly string[] = [], cwd: string | null = null): PlanValidator {
  const common = { artifacts: [], timeoutMs: null, report: null, mayProposeGoldens: null, retries: null };
  return { ...common, kind: 'script', id: 'check', entrypoint, args, cwd };
}

describe('the script of a validator at the base', () => {
  it.each<[string, PlanValidator, ScriptAtBase]>([
    ['a path is looked up', script('tools/check.sh'), file('tools/check.sh')],
    ['a path with a dot, too', script('./tools/check.sh'), file('tools/check.sh')],
    ['so is a path in the checkout', script('${worktree}/check.mjs'), file('check.mjs')],
    ['an entrypoint is relative to the checkout', script('./check.sh', [], 'sub'), file('check.sh')],
    ['the script of an interpreter', script('node', ['check.mjs']), file('check.mjs')],
    ['which is relative to cwd', script('node', ['check.mjs'], 'web'), file('web/check.mjs')],
    ['with a placeholder in cwd', script('node', ['check.mjs'], '${worktree}/web'), file('web/check.mjs')],
    ['from the top', script('node', ['${worktree}/check.mjs'], 'web'), file('check.mjs')],
    ['a harness in the run directory is absent', script('${run_dir}/harness/run.py'), ABSENT],
    ['also by its link', script('./.tnh/run/${run_id}/harness/run.py'), ABSENT],
    ['also for an interpreter', script('python3', ['${run_dir}/harness/run.py']), ABSENT],
    ['also after options', script('python3', ['-u', '${run_dir}/harness/run.py']), ABSENT],
    ['also for another program', script('npx', ['tsx', '${run_dir}/harness/run.ts']), ABSENT],
    ['also below a cwd in the run directory', script('node', ['run.mjs'], '${run_dir}/harness'), ABSENT],
    [
      'a report that goes to the run directory does not matter',
      script('node', ['check.mjs', '--out', '${run_dir}/harness/report.json']),
      file('check.mjs'),
    ],
    ['a program is on the machine', script('pytest', ['tests/']), PRESENT],
    ['a module is', script('python3', ['-m', 'pytest', 'tests/unit']), PRESENT],
    ['a command line is', script('bash', ['-lc', 'cd web && ./check.sh']), PRESENT],
    ['what comes after an option is', script('node', ['--import', './hook.mjs', 'check.mjs']), PRESENT],
    ["a script of the user's checkout is", script('node', ['${repo}/check.mjs']), PRESENT],
    ['a program without arguments is', script('node'), PRESENT],
  ])('%s', (_, planned, expected) => {
    expect(findScript(planned)).toEqual(expected);
  });
});

function ended(fields: Partial<BaselineValidator> = {}): BaselineValidator {
  return {
    id: 'tests',
    key: 'tests',
    ran: true,
    outcome: 'completed',
    exit_code: 0,
    signal: null,
    reason: null,
    output: '',
    findings: null,
    report: null,
    ...fields,
  };
}
const FAILED: Partial<BaselineValidator> = {
  outcome: 'error',
  exit_code: 1,
  reason: 'the validator exited with code 1',
  output: '1 test failed',
};
const NOT_AT_BASE: Partial<BaselineValidator> = {
  id: 'harness',
  key: 'check/harness',
  ran: false,
  outcome: null,
  exit_code: null,
  reason: 'not at base',
};

const FACTS: BaselineFacts = { advice: null, isSandboxed: false };

function report(...statuses: readonly string[]): unknown {
  return {
    suite_id: 'tests',
    version: '1.0.0',
    cases: statuses.map((status, at) => ({ id: `case ${at}`, status, artifacts: [] })),
    summary: {},
  };
}

describe('a baseline', () => {
  it.each<[string, readonly Partial<BaselineValidator>[], 'green' | 'red' | 'unable']>([
    ['is green if everything passes', [{}, { id: 'lint', key: 'lint' }], 'green'],
    ['is green if nothing was at the base', [NOT_AT_BASE], 'green'],
    ['is red if one fails', [{}, FAILED], 'red'],
    ['is red if one times out', [{ outcome: 'killed_timeout', exit_code: null }], 'red'],
    ['is red if one is silent for too long', [{ outcome: 'killed_idle', exit_code: null }], 'red'],
    ['is red if a required artifact is missing', [{ outcome: 'error', exit_code: 0 }], 'red'],
    ['is unable if a program is not found', [{}, { outcome: 'error', exit_code: 127 }], 'unable'],
    ['is unable if a program is not executable', [{ outcome: 'error', exit_code: 126 }], 'unable'],
    ['is unable if a program could not be started', [{ outcome: 'error', exit_code: null }], 'unable'],
    [
      'is red if a test prints the same and others pass',
      [{ ...FAILED, output: 'make: *** [Makefile:2: test] Error 127', report: report('passed', 'failed') }],
      'red',
    ],
    ['is red if a recipe fails', [{ ...FAILED, output: 'make: *** [Makefile:2: test] Error 1' }], 'red'],
    [
      'is red if the code lacks a module',
      [{ ...FAILED, output: "ModuleNotFoundError: No module named 'shop'" }],
      'red',
    ],
    ['is unable if the sandbox stopped it', [{ outcome: 'killed_policy', exit_code: null }], 'unable'],
  ])('%s', (_, validators, outcome) => {
    expect(decideBaseline(validators.map(ended), FACTS).outcome).toBe(outcome);
  });

  it.each([
    'sh: 1: jest: not found\nmake: *** [Makefile:2: test] Error 127',
    'make[2]: *** [Makefile:9: unit] Error 126\nmake: *** [Makefile:2: test] Error 2',
    '/usr/bin/python3: No module named pytest',
    'npm error could not determine executable to run',
    'error: no such command: `nextest`\n\n\tView all installed commands',
  ])('is unable if a program of the check is missing: %s', (output) => {
    expect(decideBaseline([ended({ ...FAILED, output })], FACTS).outcome).toBe('unable');
  });

  it.each([
    [false, 'red'],
    [true, 'unable'],
  ] as const)('distinguishes a crash from a killed sandbox: sandboxed %s, %s', (isSandboxed, outcome) => {
    const crashed = ended({ outcome: 'error', exit_code: null, signal: 'SIGSEGV' });
    expect(decideBaseline([crashed], { ...FACTS, isSandboxed }).outcome).toBe(outcome);
  });

  it('gives no reason when the checks could run', () => {
    expect(decideBaseline([ended(FAILED)], FACTS)).toEqual({ outcome: 'red', cases: null, reason: null });
  });

  it('names the validators that could not run, with their output and none of the others', () => {
    const missing = {
      id: 'lint',
      key: 'lint',
      outcome: 'error',
      exit_code: 127,
      output: 'sh: eslint: not found',
    };
    const { reason } = decideBaseline(
      [ended(FAILED), ended({ ...missing, outcome: 'error', reason: 'the validator exited with code 127' })],
      FACTS,
    );
    expect(reason).toBe(
      [
        "the checks can't run in this environment",
        'lint: the validator exited with code 127\nsh: eslint: not found',
      ].join('\n\n'),
    );
  });

  it('is unable with the advice, if nothing passes for want of a setup', () => {
    const { outcome, reason } = decideBaseline([ended(FAILED)], {
      ...FACTS,
      advice: 'add this:\n\nsetup:\n',
    });
    expect(outcome).toBe('unable');
    expect(reason).toBe(
      [
        "the checks can't run in this environment",
        'tests: the validator exited with code 1\n1 test failed',
        'add this:\n\nsetup:\n',
      ].join('\n\n'),
    );
  });

  it('counts the cases of all reports', () => {
    const { cases } = decideBaseline(
      [
        ended({ ...FAILED, report: report('passed', 'failed', 'skipped') }),
        ended({ id: 'web', key: 'web', report: report('passed') }),
      ],
      FACTS,
    );
    expect(cases).toEqual({ failing: 1, passing: 2, total: 4 });
  });
});

describe('a base where nothing passes', () => {
  it.each<[string, readonly Partial<BaselineValidator>[], boolean]>([
    ['every validator fails', [FAILED, { ...FAILED, id: 'lint', key: 'lint' }], true],
    ['every validator fails, and so does every case', [{ ...FAILED, report: report('failed') }], true],
    ['one passes', [FAILED, { id: 'lint', key: 'lint' }], false],
    ['one case passes', [{ ...FAILED, report: report('failed', 'passed') }], false],
    ['one exits with 0 and lacks an artifact', [{ outcome: 'error', exit_code: 0 }], false],
    ['nothing ran', [NOT_AT_BASE], false],
    ['there are no validators', [], false],
  ])('%s: %#', (_, validators, expected) => {
    expect(hasNoPass(validators.map(ended))).toBe(expected);
  });
});
