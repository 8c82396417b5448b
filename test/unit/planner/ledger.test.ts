import { describe, expect, it } from 'vitest';
import { ledgerLine, ledgerOf } from '../../../src/planner/ledger.ts';
import { envelope, failed, report, said, UNCHANGED } from './envelope-builder.ts';

const checkedClaim = (...parts: Parameters<typeof envelope>) => {
  const [entry] = ledgerOf(envelope(...parts), 'phrase');
  return entry === undefined ? null : ledgerLine(entry);
};
const claim = (text: string) => ({ transcript_summary: said(`claim: ${text}`) });

describe('the claim ledger', () => {
  it.each([
    ['implemented: holds (1 path changed)', envelope(claim('implemented'))],
    [
      'fixed: does not hold (no file changed)',
      envelope({ ...claim('fixed'), workspace_diff_summary: UNCHANGED }),
    ],
    [
      'implemented: cannot be told (no file changed)',
      envelope({
        transcript_summary: 'intent: review\nclaim: implemented',
        workspace_diff_summary: UNCHANGED,
      }),
    ],
    ['tests_pass: holds (tests exited with 0)', envelope(claim('tests_pass'))],
    [
      'tests_pass: does not hold (tests exited with 1)',
      envelope({ ...claim('tests_pass'), validation: failed }),
    ],
    [
      'tests_pass: cannot be told (the change edits what decides the verdict)',
      envelope({ ...claim('tests_pass'), validation: { judge_changed: ['test/a.test.ts'] } }),
    ],
    [
      'tests_pass: cannot be told (report.xml is missing)',
      envelope({ ...claim('tests_pass'), validation: { missing_artifacts: ['report.xml'] } }),
    ],
    [
      'tests_pass: cannot be told (2 cases ran, and 3 at the base)',
      envelope({
        ...claim('tests_pass'),
        validation: { fewer_checks: { base: 3, now: 2, missing: ['c'], skipped: [] } },
      }),
    ],
    [
      'tests_pass: does not hold (tests exited with 1)',
      envelope({ ...claim('tests_pass'), validation: { ...failed, judge_changed: ['test/a.test.ts'] } }),
    ],
    [
      'tests_pass: does not hold (tests ran out of time; the case a failed)',
      envelope({
        ...claim('tests_pass'),
        validation: { mechanical_outcome: 'killed_timeout', exit_codes: {}, timeouts: ['tests'] },
        harness_report: report({ a: 'failed' }),
      }),
    ],
    [
      'tests_pass: cannot be told (no validator ran after it)',
      envelope({ ...claim('tests_pass'), validation: { exit_codes: {} } }),
    ],
    ['created ./src/a.ts: holds (it is in the change)', envelope(claim('created ./src/a.ts'))],
    [
      'created logs/x: holds (it is among the artifacts)',
      envelope({ ...claim('created logs/x'), artifacts: ['logs/x'] }),
    ],
    [
      'created src/b.ts: does not hold (it is neither in the change nor among the artifacts)',
      envelope(claim('created src/b.ts')),
    ],
  ])('says: %s', (line, { evidence, ...top }) => {
    expect(checkedClaim(evidence, top)).toBe(line);
  });

  it('keeps every claim, with where it was read', () => {
    const input = envelope({ transcript_summary: said('claim: implemented', 'claim: tests_pass') });
    expect(ledgerOf(input, 'tail').map(({ claim: what, source }) => [what, source])).toEqual([
      ['implemented', 'tail'],
      ['tests_pass', 'tail'],
    ]);
  });

  it('is empty where nothing is claimed', () => {
    expect(ledgerOf(envelope(), 'phrase')).toEqual([]);
  });
});
