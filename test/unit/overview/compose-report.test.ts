import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { REPORT_SECTIONS } from '../../../src/contracts/cli/cli-report-document.ts';
import type { RunSummary } from '../../../src/contracts/run/run-summary.ts';
import { RUN_OUTCOMES } from '../../../src/contracts/vocabulary.ts';
import { chooseSection, composeReport } from '../../../src/overview/compose-report.ts';
import { formatCost, formatTokens, sumSpend } from '../../../src/overview/spend.ts';
import { NOW, repositoryWith, SINCE, startWith, summaryWith, UNENDED } from './summary-fixture.ts';

const GATE = {
  step_id: 'approve',
  gate: 'requires_approval',
  reason: 'the workflow asks for approval',
  requested_at: '2026-11-18T03:00:00.000Z',
  expires_at: null,
  answer: null,
} as const;
const PARKED = { step_id: 'implement', until: '2026-11-18T05:00:00.000Z', reason: 'usage limit' };
const CONTRADICTED = {
  confirmed: 0,
  contradicted: 1,
  unverified: 0,
  contradicted_texts: ['claim "tests pass": contradicted (tests exited 1)'],
};

function decisionWith(flags: readonly string[]): RunSummary['decisions'] {
  const flagged = { status: 'success', planner: 'rules', reason: null, contradictions: 0 } as const;
  return [{ step_id: 'judge', attempt: 1, ...flagged, risk_flags: [...flags] }];
}

describe('a run is in the first section that fits', () => {
  const cases: readonly (readonly [string, Partial<RunSummary>, boolean, string])[] = [
    ['waits at a gate', { ...UNENDED, lifecycle_state: 'waiting', awaiting: GATE }, false, 'needs_you'],
    ['waits at a gate with a driver', { ...UNENDED, awaiting: GATE }, true, 'needs_you'],
    [
      'waits at a gate after a contradiction',
      { ...UNENDED, awaiting: GATE, claims: CONTRADICTED },
      false,
      'needs_you',
    ],
    ['was parked until a time that has passed', { ...UNENDED, parked: PARKED }, false, 'needs_you'],
    ['is resumed by a process at its time', { ...UNENDED, parked: PARKED }, true, 'running'],
    [
      'is parked until later',
      { ...UNENDED, parked: { ...PARKED, until: '2026-11-18T07:00:00.000Z' } },
      false,
      'running',
    ],
    ['runs', UNENDED, true, 'running'],
    ['runs and had a contradiction', { ...UNENDED, claims: CONTRADICTED }, true, 'running'],
    ['was interrupted', UNENDED, false, 'running'],
    ['is unverified', { outcome: 'unverified' }, false, 'claimed_not_shown'],
    ['succeeded with a contradicted claim', { claims: CONTRADICTED }, false, 'claimed_not_shown'],
    [
      'failed with a contradicted claim',
      { outcome: 'partial', claims: CONTRADICTED },
      false,
      'claimed_not_shown',
    ],
    ['edited its judges', { decisions: decisionWith(['judge_changed']) }, false, 'claimed_not_shown'],
    ['ran fewer checks', { decisions: decisionWith(['fewer_checks']) }, false, 'claimed_not_shown'],
    ['had flaky checks only', { decisions: decisionWith(['flaky_checks']) }, false, 'done'],
    [
      'was approved after its judges were edited',
      { decisions: decisionWith(['judge_changed']), approved_after_decision: true },
      false,
      'claimed_not_shown',
    ],
    ['succeeded', {}, false, 'done'],
    ['was cancelled', { outcome: 'cancelled', cancel: { by: 'Ada', reason: null } }, false, 'failed'],
    ['needs a person, but has ended', { outcome: 'needs_human' }, false, 'failed'],
    ['exceeded its budget', { outcome: 'budget' }, false, 'failed'],
  ];
  test.each(cases)('a run that %s', (_name, change, isDriven, section) => {
    expect(chooseSection({ summary: summaryWith(change), isDriven }, NOW)).toBe(section);
  });
});

const usage = fc.record({
  input_tokens: fc.option(fc.nat(1_000_000)),
  output_tokens: fc.option(fc.nat(1_000_000)),
  cost_usd: fc.option(fc.nat(100_000).map((cents) => cents / 100)),
});
const someStart = fc
  .record({ agent: fc.constantFrom('claude', 'codex'), duration_ms: fc.option(fc.nat(9_999_999)), usage })
  .map(startWith);
const someRun = fc
  .record({
    outcome: fc.constantFrom(null, ...RUN_OUTCOMES),
    workflow_id: fc.constantFrom('implement', 'refactor'),
    awaiting: fc.constantFrom(null, GATE),
    parked: fc.constantFrom(null, PARKED),
    claims: fc.constantFrom(CONTRADICTED, { ...CONTRADICTED, contradicted: 0 }),
    decisions: fc.constantFrom([], decisionWith(['judge_changed']), decisionWith(['ux_error'])),
    updated_at: fc.constantFrom('2026-11-16T00:00:00.000Z', SINCE, NOW),
    starts: fc.array(someStart, { maxLength: 4 }),
    isDriven: fc.boolean(),
  })
  .map(({ isDriven, ...change }) => ({ isDriven, change }));

test('every run is in exactly one section, and totals and groups are the sums of the lines', () => {
  fc.assert(
    fc.property(fc.array(someRun, { maxLength: 12 }), (drawn) => {
      const runs = drawn.map(({ isDriven, change }, at) => ({
        isDriven,
        summary: summaryWith({ ...change, run_id: `run-${at}` }),
      }));
      const report = composeReport({
        now: NOW,
        scope: { kind: 'since', since: SINCE },
        repositories: [repositoryWith({ runs, shortId: (id) => id })],
      });
      const lines = report.sections.flatMap((section) => section.runs);
      const expected = runs
        .filter(({ summary }) => summary.outcome === null || summary.updated_at >= SINCE)
        .map(({ summary }) => summary.run_id);
      expect(lines.map((line) => line.run_id).sort()).toEqual(expected.sort());
      expect(report.sections.every((section) => section.runs.length > 0)).toBe(true);
      const order = report.sections.map(({ id }) => REPORT_SECTIONS.indexOf(id));
      expect(order).toEqual(order.toSorted((one, other) => one - other));
      const total = sumSpend(lines.map(({ spend }) => spend));
      expect(report.spent.total).toEqual(total);
      expect(sumSpend(report.spent.by_agent.map(({ spend }) => spend))).toEqual(total);
      expect(sumSpend(report.spent.by_workflow.map(({ spend }) => spend))).toEqual(total);
    }),
  );
});

describe('a cost that an agent does not report is unknown and not zero', () => {
  const unreported = startWith({
    agent: 'codex',
    usage: { input_tokens: null, output_tokens: null, cost_usd: null },
  });
  const spentBy = (starts: RunSummary['starts']) =>
    composeReport({
      now: NOW,
      scope: { kind: 'since', since: SINCE },
      repositories: [repositoryWith({ runs: [{ summary: summaryWith({ starts }), isDriven: false }] })],
    }).spent.total;
  test.each([
    ['all known', [startWith()], '$0.41', '1,000 in, 200 out'],
    ['none known', [unreported], 'unknown', 'unknown'],
    [
      'some known',
      [startWith(), unreported, unreported],
      '$0.41 + unknown of 2 starts',
      '1,000 + unknown of 2 starts in, 200 + unknown of 2 starts out',
    ],
    ['no agent', [], '$0.00', '0 in, 0 out'],
  ])('%s', (_name, starts, cost, tokens) => {
    expect([formatCost(spentBy(starts)), formatTokens(spentBy(starts))]).toEqual([cost, tokens]);
  });
});

test('a gate names the commands that answer it, with the repository if the report covers several', () => {
  const report = composeReport({
    now: NOW,
    scope: { kind: 'since', since: SINCE },
    repositories: [
      repositoryWith({
        repoOption: '/src/my shop',
        runs: [{ summary: summaryWith({ ...UNENDED, awaiting: GATE }), isDriven: false }],
      }),
    ],
  });
  expect(report.sections[0]?.runs[0]?.commands).toEqual([
    "conductor show 0199ab12 --repo '/src/my shop'",
    "conductor approve 0199ab12 --resume --repo '/src/my shop'",
    'conductor reject 0199ab12 --comment "…" --resume --repo \'/src/my shop\'',
  ]);
});

describe('new since last time', () => {
  const baseline = (outcome: 'green' | 'red', failing: string[]) => ({
    outcome,
    recorded_at: '2026-11-18T01:00:00.000Z',
    cached: false,
    cases: null,
    validators: [{ id: 'tests', failed: failing.length > 0, failing_cases: failing, more_failing_cases: 0 }],
    reason: null,
  });
  const newsOf = (latest: Partial<RunSummary>, before: Partial<RunSummary>) =>
    composeReport({
      now: NOW,
      scope: { kind: 'since', since: SINCE },
      repositories: [
        repositoryWith({
          baselineRuns: [
            summaryWith({ base_sha: 'new', ...latest }),
            summaryWith({ base_sha: 'old', ...before }),
          ],
        }),
      ],
    }).news;

  test('names the cases that fail now and did not before, and those that were fixed', () => {
    const latest = { baseline: baseline('red', ['a', 'b']) };
    expect(newsOf(latest, { baseline: baseline('red', ['b', 'c']) })).toMatchObject([
      { outcome: 'red', before_outcome: 'red', base_sha: 'new', newly_failing: ['a'], fixed: ['c'] },
    ]);
  });
  test.each([
    ['the results are the same', { baseline: baseline('green', []) }],
    ['the commit is the same', { base_sha: 'new', baseline: baseline('red', ['a']) }],
  ])('is empty if %s', (_name, before) => {
    expect(newsOf({ baseline: baseline('green', []) }, before)).toEqual([]);
  });
  test('is empty if the latest baseline is older than the report', () => {
    const latest = { ...baseline('red', ['a']), recorded_at: '2026-11-16T00:00:00.000Z' };
    expect(newsOf({ baseline: latest }, { baseline: baseline('green', []) })).toEqual([]);
  });
});
