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
      'claim "implemented": unverified (1 path changed; no check shows that this completes the work)',
      envelope(claim('implemented')),
    ],
    [
      'claim "fixed": contradicted (no file changed)',
      envelope({ ...claim('fixed'), workspace_diff_summary: UNCHANGED }),
    ],
    [
      'claim "implemented": unverified (no file changed)',
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
      'claim "tests pass": unverified (the change edits files that decide whether the checks pass)',
      envelope({ ...claim('tests_pass'), validation: { judge_changed: ['test/a.test.ts'] } }),
    ],
    [
      'claim "tests pass": unverified (report.xml is missing)',
      envelope({ ...claim('tests_pass'), validation: { missing_artifacts: ['report.xml'] } }),
    ],
    [
      'claim "tests pass": unverified (2 cases ran; 3 ran at the base)',
      envelope({
        ...claim('tests_pass'),
        validation: { fewer_checks: { base: 3, now: 2, missing: ['c'], skipped: [] } },
      }),
    ],
    [
      'claim "tests pass": unverified (1 case ran; 3 ran at the base)',
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
      'claim "tests pass": unverified (no validator ran after it)',
      envelope({ ...claim('tests_pass'), validation: { exit_codes: {} } }),
    ],
    [
      'claim "created ./src/a.ts": confirmed (the file is in the diff)',
      envelope(claim('created ./src/a.ts')),
    ],
    [
      'claim "created logs/x": confirmed (the file is among the artifacts)',
      envelope({ ...claim('created logs/x'), artifacts: ['logs/x'] }),
    ],
    [
      'claim "created src/b.ts": contradicted (the file is neither in the diff nor among the artifacts)',
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
