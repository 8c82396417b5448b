import { describe, expect, it } from 'vitest';
import { type Attempt, createAttempt } from '../../../harness/attempt.ts';
import { composeReport, exitCodeOf, type TriedCase } from '../../../harness/report.ts';
import { harnessReportSchema } from '../../../src/contracts/run/harness-report.ts';

const WHEN = { generatedAt: '2026-02-09T14:30:00.000Z', durationMs: 12 };
const PROPOSAL = {
  id: 'a.txt',
  golden_path: 'goldens/a.txt',
  proposed_path: 'p/a.txt',
  kind: 'text',
} as const;

const passed = createAttempt;
const failed = (): Attempt => ({ ...createAttempt(), problems: ['it broke'], proposals: [PROPOSAL] });
const skipped = (): Attempt => ({ ...createAttempt(), skipped: 'nobody is here' });
const proposing = (): Attempt => ({
  ...createAttempt(),
  observations: ['it differs'],
  proposals: [PROPOSAL],
});

function tried(id: string, ...attempts: readonly Attempt[]): TriedCase {
  return { case: { id, kind: 'cli' }, repro: `run ${id}`, attempts, durationMs: 1 };
}

describe('a report', () => {
  it.each<[string, readonly Attempt[], string, readonly string[], number]>([
    ['passes', [passed()], 'passed', [], 0],
    ['fails', [failed()], 'failed', ['it broke'], 1],
    ['fails again and again', [failed(), failed()], 'failed', ['try 1: it broke', 'it broke'], 1],
    ['fails and then passes', [failed(), passed()], 'flaky', ['try 1: it broke'], 0],
    ['is skipped', [skipped()], 'skipped', ['nobody is here'], 0],
    ['only proposes', [proposing()], 'passed', ['it differs'], 0],
  ])('says of a case that %s what it is', (_, attempts, status, observations, exit) => {
    const report = composeReport('suite', [tried('one', ...attempts)], WHEN);
    expect(harnessReportSchema.safeParse(report).error).toBeUndefined();
    expect(report.cases).toEqual([
      { id: 'one', kind: 'cli', status, repro: 'run one', observations, artifacts: [], duration_ms: 1 },
    ]);
    expect(exitCodeOf(report)).toBe(exit);
  });

  it('counts each case once and keeps their order', () => {
    const report = composeReport(
      'suite',
      [
        tried('z', failed()),
        tried('a', passed()),
        tried('m', failed(), passed()),
        tried('b', skipped()),
        tried('c', passed()),
      ],
      WHEN,
    );
    expect(report.cases.map(({ id }) => id)).toEqual(['z', 'a', 'm', 'b', 'c']);
    expect(report.summary).toEqual({ passed: 2, failed: 1, flaky: 1, skipped: 1, duration_ms: 12 });
  });

  it('proposes nothing from a try that failed, and each golden once', () => {
    const report = composeReport(
      'suite',
      [tried('a', failed()), tried('b', proposing()), tried('c', failed(), proposing())],
      WHEN,
    );
    expect(report.proposed_goldens).toEqual([PROPOSAL]);
    expect(composeReport('suite', [tried('a', failed())], WHEN).proposed_goldens).toEqual([]);
  });

  it('of no cases fits the schema and is no success', () => {
    const report = composeReport('suite', [], WHEN);
    expect(harnessReportSchema.safeParse(report).error).toBeUndefined();
    expect(exitCodeOf(report)).toBe(1);
  });
});
