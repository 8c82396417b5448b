import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plannerDecisionSchema } from '../../../src/contracts/planner/planner-decision.ts';
import type { PlannerInput } from '../../../src/contracts/planner/planner-input.ts';
import { MECHANICAL_OUTCOMES, OPCODES, PLANNER_STATUSES } from '../../../src/contracts/vocabulary.ts';
import { parseEnvelope } from '../../../src/planner/envelope.ts';
import { evaluate } from '../../../src/planner/table/evaluate.ts';
import { CONTRADICTION_FLAGS, compareStatus, orderFlags } from '../../../src/planner/table/severity.ts';
import { numberOfRuns } from '../number-of-runs.ts';
import { envelope, report } from './envelope-builder.ts';

/** Most parts of most envelopes are in order, so that every status is reached. */
function rarely<T>(calm: NoInfer<T>, odd: fc.Arbitrary<T>): fc.Arbitrary<T> {
  return fc.oneof({ weight: 3, arbitrary: fc.constant(calm) }, { weight: 1, arbitrary: odd });
}

const id = fc.constantFrom('tests', 'lint', 'harness');
const line = fc.constantFrom(
  'claim: implemented',
  'claim: fixed',
  'claim: tests_pass',
  'claim: created src/a.ts',
  'claim: created src/gone.ts',
  'blocker: spec-gap | which code',
  'final: done',
  'mood: good',
);
const diff = fc.constantFrom(
  '',
  'no changes\nfingerprint: aaaa',
  'files: 1 insertions: 1 deletions: 0\nA src/a.ts +1 -0\nfingerprint: aaaa',
  'files: 1 insertions: 2 deletions: 0\nM src/b.ts +2 -0\nfingerprint: bbbb',
);
const code = fc.constantFrom('validator_failed:tests', 'validator_timeout:lint', 'spec-gap', 'empty_diff');
const windowEntry = fc.record({
  step_id: fc.constant('evaluate'),
  opcode: fc.constantFrom(...OPCODES),
  status: fc.constantFrom(...PLANNER_STATUSES, ...MECHANICAL_OUTCOMES),
  diff_summary: diff,
  risk_flags: fc.subarray([...CONTRADICTION_FLAGS, 'ux_error']),
  blocker_codes: fc.uniqueArray(code),
});
const uxFlag = fc.record({ severity: fc.constantFrom('info', 'warning', 'error') });
const harnessReport = fc
  .record({
    cases: fc.dictionary(
      fc.constantFrom('a', 'b', 'c'),
      fc.constantFrom('passed', 'failed', 'skipped', 'flaky'),
    ),
    version: fc.constantFrom('1.0.0', '1', '2.0', undefined),
    ux_flags: fc.array(uxFlag, { maxLength: 2 }),
    proposed_goldens: fc.array(fc.constantFrom('g.png'), { maxLength: 1 }),
    broken: fc.boolean(),
  })
  .map(({ cases, broken, ...fields }) =>
    report(cases, broken ? { ...fields, summary: { passed: 9 } } : fields),
  );
const policyEvent = fc.constantFrom('forbidden_path: x', 'requires_approval: y', 'note: z');

const finding = fc.constant({ id: 'F1', summary: 'no test', path: 'src/a.ts' });
const review = fc.record({
  expected: fc.boolean(),
  verdict: fc.constantFrom('approve' as const, 'needs-changes' as const, null),
  findings: fc.array(finding, { maxLength: 1 }),
});

const checks = fc.record(
  {
    commands: fc.dictionary(id, fc.constantFrom('npm test', '')),
    output: fc.dictionary(id, fc.constant('red')),
    report_sources: fc.uniqueArray(id),
    regressions: fc.uniqueArray(fc.constantFrom('a', 'b')),
    judge_changed: fc.uniqueArray(fc.constantFrom('test/a.test.ts', 'package.json')),
    fewer_checks: fc.record({
      base: fc.nat(9),
      now: fc.nat(9),
      missing: fc.array(id),
      skipped: fc.array(id),
    }),
    environment_failures: fc.uniqueArray(id),
  },
  { requiredKeys: [] },
);

const input: fc.Arbitrary<PlannerInput> = fc
  .record({
    intent: fc.constantFrom('intent: implementation', 'intent: review'),
    lines: rarely([], fc.uniqueArray(line)),
    diff,
    outcome: rarely('completed', fc.constantFrom(...MECHANICAL_OUTCOMES)),
    exitCodes: rarely({ tests: 0 }, fc.dictionary(id, fc.constantFrom(0, 1))),
    timeouts: rarely([], fc.uniqueArray(id)),
    missing: fc.array(fc.constant('r.json'), { maxLength: 1 }),
    flaky: fc.uniqueArray(id),
    report: rarely(null, fc.option(harnessReport)),
    events: rarely([], fc.array(policyEvent, { maxLength: 2 })),
    review: fc.option(review),
    window: fc.array(windowEntry, { maxLength: 4 }),
    refinement: fc.option(fc.record({ spent: fc.nat(2), max: fc.nat(2) })),
    checks: rarely({}, checks),
    runChanged: fc.option(fc.boolean()),
  })
  .map((made) =>
    envelope(
      {
        transcript_summary: [made.intent, ...made.lines].join('\n'),
        workspace_diff_summary: made.diff,
        harness_report: made.report,
        policy_events: made.events,
        review: made.review,
        run_changed: made.runChanged,
        validation: {
          ...made.checks,
          mechanical_outcome: made.outcome,
          exit_codes: made.exitCodes,
          timeouts: made.timeouts,
          missing_artifacts: made.missing,
          flaky: made.flaky,
        },
      },
      {
        provenance_window: made.window,
        refinement: made.refinement,
        route_hints: { partial: 'fix', success: 'away' },
      },
    ),
  );

function withEvidence(whole: PlannerInput, fields: Partial<PlannerInput['evidence']>): PlannerInput {
  return { ...whole, evidence: { ...whole.evidence, ...fields } };
}

function withEvent(whole: PlannerInput, event: string): PlannerInput {
  return withEvidence(whole, { policy_events: [...whole.evidence.policy_events, event] });
}

function withGolden(whole: PlannerInput): PlannerInput {
  const before = whole.evidence.harness_report ?? report({});
  return withEvidence(whole, { harness_report: { ...before, proposed_goldens: ['new.png'] } });
}

function withValidation(
  whole: PlannerInput,
  fields: Partial<PlannerInput['evidence']['validation']>,
): PlannerInput {
  return withEvidence(whole, { validation: { ...whole.evidence.validation, ...fields } });
}

const FEWER = { base: 9, now: 0, missing: [], skipped: [] };

const WORSENINGS = [
  {
    name: 'a changed judge',
    worsen: (whole: PlannerInput) => withValidation(whole, { judge_changed: ['test/b.test.ts'] }),
  },
  {
    name: 'a missing check',
    worsen: (whole: PlannerInput) => withValidation(whole, { fewer_checks: FEWER }),
  },
  {
    name: 'a run without a change',
    worsen: (whole: PlannerInput) => withEvidence(whole, { run_changed: false }),
  },
  { name: 'a policy violation', worsen: (whole: PlannerInput) => withEvent(whole, 'network_violation: dns') },
  { name: 'an approval event', worsen: (whole: PlannerInput) => withEvent(whole, 'requires_approval: z') },
  { name: 'a golden proposal', worsen: withGolden },
];

describe('for any envelope', () => {
  it('the decision fits its schema and the rules of the output', () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(input, (whole) => {
        expect(parseEnvelope(whole).ok).toBe(true);
        const decision = evaluate(whole);
        seen.add(decision.status);
        expect(plannerDecisionSchema.parse(decision)).toEqual(decision);
        expect(decision.risk_flags).toEqual(orderFlags(decision.risk_flags));
        expect(decision.next_step).toBe(decision.status === 'partial' ? 'fix' : null);
        expect(decision.fix_instructions !== null).toBe(decision.status === 'partial');
        if (decision.status === 'partial') {
          expect(decision.fix_instructions?.verification.length).toBeGreaterThan(0);
        }
        expect(decision.blockers.length > 0).toBe(decision.status !== 'success');
      }),
      { numRuns: numberOfRuns(300) },
    );
    expect([...seen].sort()).toEqual([...PLANNER_STATUSES].sort());
  });

  it('the same envelope gives the same bytes', () => {
    fc.assert(
      fc.property(input, (whole) => {
        expect(JSON.stringify(evaluate(structuredClone(whole)))).toBe(JSON.stringify(evaluate(whole)));
      }),
    );
  });

  it.each(WORSENINGS)('$name never lowers severity', ({ worsen }) => {
    fc.assert(
      fc.property(input, (whole) => {
        expect(compareStatus(evaluate(worsen(whole)).status, evaluate(whole).status)).toBeGreaterThanOrEqual(
          0,
        );
      }),
    );
  });

  it('the order of unrelated lines does not matter', () => {
    const summary = (whole: PlannerInput) => {
      const { status, risk_flags: flags, blockers } = evaluate(whole);
      return { status, flags, blockers: blockers.map((blocker) => JSON.stringify(blocker)).sort() };
    };
    fc.assert(
      fc.property(input, (whole) => {
        const lines = whole.evidence.transcript_summary.split('\n');
        const turned = withEvidence(whole, {
          transcript_summary: lines.toReversed().join('\n'),
          policy_events: whole.evidence.policy_events.toReversed(),
        });
        expect(summary(turned)).toEqual(summary(whole));
      }),
    );
  });
});
