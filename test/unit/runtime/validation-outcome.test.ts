import { describe, expect, it } from 'vitest';
import type { MechanicalOutcome } from '../../../src/contracts/vocabulary.ts';
import type { ValidatorResult } from '../../../src/ports/validator.ts';
import { validationReportOf, worstOutcome } from '../../../src/runtime/effects/run-validation.ts';

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

  it('gives a killed validator no exit code, and names it among the timeouts', () => {
    const report = validationReportOf(
      [
        result({ id: 'slow', outcome: 'killed_timeout', exitCode: null }),
        result({ id: 'silent', outcome: 'killed_idle', exitCode: null }),
        result({ id: 'red', outcome: 'error', exitCode: 3 }),
      ],
      'killed_timeout',
    );
    expect(report.exit_codes).toEqual({ red: 3 });
    expect(report.timeouts).toEqual(['slow', 'silent']);
  });

  it('collects required and missing artifacts of all validators', () => {
    const report = validationReportOf(
      [
        result({ requiredArtifacts: ['a.json', 'b.txt'], missingArtifacts: ['b.txt'] }),
        result({ id: 'other', requiredArtifacts: ['c.txt'] }),
      ],
      'error',
    );
    expect(report.required_artifacts).toEqual(['a.json', 'b.txt', 'c.txt']);
    expect(report.missing_artifacts).toEqual(['b.txt']);
  });
});
