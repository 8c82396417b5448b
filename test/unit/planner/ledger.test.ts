import { describe, expect, it } from 'vitest';
import { ledgerLine, ledgerOf } from '../../../src/planner/claims/ledger.ts';
import { envelope, failed, report, said, UNCHANGED } from './envelope-builder.ts';

const checkedClaim = (...parts: Parameters<typeof envelope>) => {
  const [entry] = ledgerOf(envelope(...parts), 'phrase');
  return entry === undefined ? null : ledgerLine(entry);
};
const claim = (text: string) => ({ transcript_summary: said(`claim: ${text}`) });

describe('the claim ledger', () => {
  it.each([
    [
      'claim "implemented": not checkable (1 path changed; no check shows that this is the work)',
      envelope(claim('implemented')),
    ],
    [
      'claim "fixed": contradicted (no file changed)',
      envelope({ ...claim('fixed'), workspace_diff_summary: UNCHANGED }),
    ],
    [
      'claim "implemented": not checkable (no file changed)',
      envelope({
        transcript_summary: 'intent: review\nclaim: implemented',
        workspace_diff_summary: UNCHANGED,
      }),
    ],
    ['claim "tests pass": confirmed (tests exited 0)', envelope(claim('tests_pass'))],
    [
      'claim "tests pass": contradicted (tests exited 1)',
      envelope({ ...claim('tests_pass'), validation: failed }),
    ],
    [
      'claim "tests pass": not checkable (the change edits what decides the verdict)',
      envelope({ ...claim('tests_pass'), validation: { judge_changed: ['test/a.test.ts'] } }),
    ],
    [
      'claim "tests pass": not checkable (report.xml is missing)',
      envelope({ ...claim('tests_pass'), validation: { missing_artifacts: ['report.xml'] } }),
    ],
    [
      'claim "tests pass": not checkable (2 cases ran, and 3 at the base)',
      envelope({
        ...claim('tests_pass'),
        validation: { fewer_checks: { base: 3, now: 2, missing: ['c'], skipped: [] } },
      }),
    ],
    [
      'claim "tests pass": not checkable (1 case ran, and 3 at the base)',
      envelope({
        ...claim('tests_pass'),
        validation: { fewer_checks: { base: 3, now: 1, missing: ['b', 'c'], skipped: [] } },
      }),
    ],
    [
      'claim "tests pass": contradicted (tests exited 1)',
      envelope({ ...claim('tests_pass'), validation: { ...failed, judge_changed: ['test/a.test.ts'] } }),
    ],
    [
      'claim "tests pass": contradicted (tests timed out; the case a failed)',
      envelope({
        ...claim('tests_pass'),
        validation: { mechanical_outcome: 'killed_timeout', exit_codes: {}, timeouts: ['tests'] },
        harness_report: report({ a: 'failed' }),
      }),
    ],
    [
      'claim "tests pass": not checkable (no validator ran after it)',
      envelope({ ...claim('tests_pass'), validation: { exit_codes: {} } }),
    ],
    ['claim "created ./src/a.ts": confirmed (it is in the change)', envelope(claim('created ./src/a.ts'))],
    [
      'claim "created logs/x": confirmed (it is among the artifacts)',
      envelope({ ...claim('created logs/x'), artifacts: ['logs/x'] }),
    ],
    [
      'claim "created src/b.ts": contradicted (it is neither in the change nor among the artifacts)',
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
