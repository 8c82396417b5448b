import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createRulePlanner } from '../../src/adapters/planner/rule-planner.ts';
import type { PlannerInput } from '../../src/contracts/planner/planner-input.ts';
import { mergeReports } from '../../src/planner/merge-reports.ts';
import type { ValidatorResult } from '../../src/ports/validator.ts';
import { composeValidationReport } from '../../src/runtime/effects/validation/validation-evidence.ts';
import { envelope, report } from '../unit/planner/envelope-builder.ts';
import { inlineScript, openValidatorScene, type ValidatorScene } from './validator-fixture.ts';

let scene: ValidatorScene;
beforeEach(async () => {
  scene = await openValidatorScene();
});
afterEach(() => scene.remove());

/** What a harness leaves is evaluated as in a run: captured by the runner, merged, and read by the rules. */
async function evaluated(code: string) {
  const result = await scene.run(inlineScript(code, { artifacts: ['harness_report.json'] }));
  const { decision } = await createRulePlanner().evaluate(envelopeOf(result), new AbortController().signal);
  const codes = decision.blockers.map((blocker) => blocker.code);
  return { result, status: decision.status, flags: decision.risk_flags, codes };
}

function envelopeOf(result: ValidatorResult): PlannerInput {
  const outcome = result.outcome === 'cancelled' ? 'error' : result.outcome;
  const reports = result.harnessReport === null ? [] : [result.harnessReport.value];
  return envelope({
    validation: composeValidationReport([{ last: result, failed: [] }], outcome),
    harness_report: mergeReports(reports) as PlannerInput['evidence']['harness_report'],
    artifacts: result.requiredArtifacts.filter((name) => !result.missingArtifacts.includes(name)),
  });
}

const bytes = (expression: string) => `fs.writeFileSync('harness_report.json', ${expression});`;
const value = (fields: object) => bytes(JSON.stringify(JSON.stringify(fields)));
const good = report({ a: 'passed' });
const without = (key: keyof typeof good) =>
  value(Object.fromEntries(Object.entries(good).filter(([name]) => name !== key)));

describe('a harness report that is no report counts as missing', () => {
  it.each([
    ['missing', '', 'required artifact missing: `harness_report.json`'],
    ['empty', bytes('""'), 'is not JSON'],
    ['not JSON', bytes('"{"'), 'is not JSON'],
    ['more than JSON', bytes(`${JSON.stringify(JSON.stringify(good))} + "]"`), 'is not JSON'],
    ['50 MB', bytes('" ".repeat(50_000_000)'), 'is larger than 16 MiB'],
    ['not UTF-8', bytes('Buffer.from("7b22ff223a317d", "hex")'), 'is not UTF-8'],
    ['with a NUL', bytes(`${JSON.stringify(JSON.stringify(good))} + "\\0"`), 'is not JSON'],
    ['in UTF-16', bytes(`Buffer.from(${JSON.stringify(JSON.stringify(good))}, "utf16le")`), 'is not JSON'],
    ['a list', value([good]), 'is not a JSON object'],
    ['without suite_id', without('suite_id'), 'has no `suite_id`'],
    ['without cases', without('cases'), 'has no `cases`'],
    ['without summary', without('summary'), 'has no `summary`'],
    [
      'with cases that are no list',
      value({ ...good, cases: { a: 'passed' } }),
      'has `cases` that is not a list',
    ],
    [
      'with a summary that is no object',
      value({ ...good, summary: 'all well' }),
      'has `summary` that is not an object',
    ],
    [
      'of a million nested lists',
      bytes('"[".repeat(1_000_000) + "]".repeat(1_000_000)'),
      'is nested deeper than 64 levels',
    ],
    [
      'of millions of zeros',
      bytes('\'{"suite_id":"s","version":"1.0.0","summary":{},"cases":[0\' + ",0".repeat(8_000_000) + "]}"'),
      'contains more than 250000 values',
    ],
    [
      'nested in a place that nobody reads',
      value({ ...good, extra: JSON.parse(`${'['.repeat(70)}${']'.repeat(70)}`) }),
      'is nested deeper than 64 levels',
    ],
  ])('when it is %s', async (_, code, why) => {
    const { result, status, flags, codes } = await evaluated(code);
    expect(result).toMatchObject({ outcome: 'error', exitCode: 0, harnessReport: null });
    expect(result.missingArtifacts).toEqual(['harness_report.json']);
    expect(result.reason).toContain(why);
    expect({ status, flags, codes }).toEqual({
      status: 'blocked',
      flags: ['missing_artifact'],
      codes: ['missing_artifact'],
    });
  });
});

describe('a harness report whose meaning is wrong is for the planner', () => {
  const failing = report({ a: 'failed' });
  it.each([
    [
      'counts that do not add up',
      value({ ...good, summary: { passed: 2, failed: 0 } }),
      'unsafe',
      'report_inconsistent',
    ],
    [
      'a failed case that the counts deny',
      value({ ...failing, summary: { passed: 1, failed: 0 } }),
      'unsafe',
      'report_inconsistent',
    ],
    [
      'all passed and an exit code of 1',
      `${value(good)} process.exitCode = 1`,
      'unsafe',
      'report_execution_mismatch',
    ],
    [
      'the same id twice, one of them failed',
      value({ ...good, cases: [...good.cases, ...failing.cases], summary: { passed: 1, failed: 1 } }),
      'partial',
      'case_failed:a',
    ],
    [
      'the same id twice, counted once',
      value({ ...good, cases: [...good.cases, ...good.cases] }),
      'unsafe',
      'report_inconsistent',
    ],
    ['no version', value({ ...good, version: undefined }), 'blocked', 'unsupported_report'],
    ['another version', value({ ...good, version: '2.0.0', cases: [17] }), 'blocked', 'unsupported_report'],
    ['a case that is a number', value({ ...good, cases: [17] }), 'blocked', 'invalid_evidence'],
    [
      'a status nobody knows',
      value({ ...good, cases: [{ id: 'a', status: 'fine' }] }),
      'blocked',
      'invalid_evidence',
    ],
    ['a count that is a text', value({ ...good, summary: { passed: '1' } }), 'blocked', 'invalid_evidence'],
    ['a suite_id that is a number', value({ ...good, suite_id: 7 }), 'blocked', 'invalid_evidence'],
    ['flags that are a text', value({ ...good, ux_flags: 'none' }), 'blocked', 'invalid_evidence'],
    [
      'proposals that are a text',
      value({ ...good, proposed_goldens: 'a.png' }),
      'blocked',
      'invalid_evidence',
    ],
  ])('with %s', async (_, code, status, blocker) => {
    const found = await evaluated(code);
    expect(found.result.missingArtifacts).toEqual([]);
    expect(found.result.harnessReport).not.toBeNull();
    expect([found.status, ...found.codes]).toEqual(expect.arrayContaining([status, blocker]));
  });

  it('and a good one passes, so that the table above could fail', async () => {
    expect(await evaluated(value(good))).toMatchObject({ status: 'success', codes: [] });
  });
});
