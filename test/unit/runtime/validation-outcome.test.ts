import { describe, expect, it } from 'vitest';
import type { MechanicalOutcome } from '../../../src/contracts/vocabulary.ts';
import type { ValidatorResult } from '../../../src/ports/validator.ts';
import { worstOutcome } from '../../../src/runtime/effects/validation/run-validation.ts';
import { composeValidationReport } from '../../../src/runtime/effects/validation/validation-evidence.ts';

describe('the outcome of several validators', () => {
  it.each<[MechanicalOutcome[], MechanicalOutcome]>([
    [['completed', 'completed'], 'completed'],
    [['completed', 'error'], 'error'],
    [['error', 'killed_idle'], 'killed_idle'],
    [['killed_timeout', 'killed_idle', 'completed'], 'killed_timeout'],
    [['killed_timeout', 'killed_policy', 'error'], 'killed_policy'],
  ])('of %j is %s', (outcomes, worst) => {
    expect(worstOutcome(outcomes)).toBe(worst);
  });
});

describe('the validation report', () => {
  const result = (fields: Partial<ValidatorResult>): ValidatorResult => ({
    id: 'tests',
    outcome: 'completed',
    exitCode: 0,
    durationMs: 5,
    stdoutPath: null,
    stderrPath: null,
    artifacts: [],
    missingArtifacts: [],
    requiredArtifacts: [],
    harnessReport: null,
    reason: null,
    ...fields,
  });
  const once = (fields: Partial<ValidatorResult>) => ({ last: result(fields), failed: [] });
  const reportWith = (cases: Readonly<Record<string, string>>) => ({
    path: '/r.json',
    proposals: 0,
    value: { cases: Object.entries(cases).map(([id, status]) => ({ id, status })) },
  });

  it('gives a killed validator no exit code, and names it among the timeouts', () => {
    const report = composeValidationReport(
      [
        once({ id: 'slow', outcome: 'killed_timeout', exitCode: null }),
        once({ id: 'silent', outcome: 'killed_idle', exitCode: null }),
        once({ id: 'red', outcome: 'error', exitCode: 3 }),
      ],
      'killed_timeout',
    );
    expect(report.exit_codes).toEqual({ red: 3 });
    expect(report.timeouts).toEqual(['slow', 'silent']);
  });

  it('collects required and missing artifacts of all validators', () => {
    const report = composeValidationReport(
      [
        once({ requiredArtifacts: ['a.json', 'b.txt'], missingArtifacts: ['b.txt'] }),
        once({ id: 'other', requiredArtifacts: ['c.txt'] }),
      ],
      'error',
    );
    expect(report.required_artifacts).toEqual(['a.json', 'b.txt', 'c.txt']);
    expect(report.missing_artifacts).toEqual(['b.txt']);
  });

  it('calls a validator flaky that failed and then passed, and counts its tries', () => {
    const failed = result({ outcome: 'error', exitCode: 1, reason: 'the validator exited with code 1' });
    const report = composeValidationReport(
      [{ last: result({}), failed: [failed] }, once({ id: 'lint' })],
      'completed',
    );
    expect(report.flaky).toEqual(['tests']);
    expect(report.exit_codes).toEqual({ tests: 0, lint: 0 });
    expect(report.validators.map(({ id, attempts, flaky }) => [id, attempts, flaky])).toEqual([
      ['tests', 2, true],
      ['lint', 1, false],
    ]);
    expect(report.validators[0]?.failed_tries).toEqual([
      { exit_code: 1, duration_ms: 5, reason: 'the validator exited with code 1' },
    ]);
  });

  it('calls nothing flaky that failed on every try', () => {
    const failed = result({ outcome: 'error', exitCode: 1 });
    const report = composeValidationReport([{ last: failed, failed: [failed, failed] }], 'error');
    expect(report.flaky).toEqual([]);
    expect(report.validators[0]).toMatchObject({ attempts: 3, flaky: false });
  });

  it('names the cases that a report calls flaky, and those that failed first and passed then', () => {
    const report = composeValidationReport(
      [
        once({ id: 'kit', harnessReport: reportWith({ a: 'flaky', b: 'passed' }) }),
        {
          last: result({ harnessReport: reportWith({ c: 'passed', d: 'passed' }) }),
          failed: [result({ outcome: 'error', harnessReport: reportWith({ c: 'failed', d: 'passed' }) })],
        },
      ],
      'completed',
    );
    expect(report.flaky).toEqual(['tests', 'a', 'c']);
  });

  it.each([
    ['no list', { cases: 'a' }],
    ['odd entries', { cases: [null, 'a', { id: 7, status: 'flaky' }, { id: 'x' }] }],
  ])('finds no flaky case in a report with %s', (_name, value) => {
    const report = composeValidationReport(
      [once({ harnessReport: { path: '/r.json', proposals: 0, value } })],
      'completed',
    );
    expect(report.flaky).toEqual([]);
  });
});
