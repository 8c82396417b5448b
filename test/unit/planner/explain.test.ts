import { describe, expect, it } from 'vitest';
import { ESCALATIONS } from '../../../src/planner/table/escalation.ts';
import { evaluateWithRows } from '../../../src/planner/table/evaluate.ts';
import { explainEvaluation, explainInvalidEvidence } from '../../../src/planner/table/explain-evaluation.ts';
import { textOfRow } from '../../../src/planner/table/row-text.ts';
import { ROWS } from '../../../src/planner/table/rows.ts';
import { CHECK_CASES } from './check-cases.ts';
import { envelope, failed, report, said } from './envelope-builder.ts';
import { PAIR_CASES } from './pair-cases.ts';
import { ROW_CASES } from './row-cases.ts';

const ids = [...ROWS, ...ESCALATIONS].map(({ id }) => id);

describe('the reasons of a judgement', () => {
  it.each([...ids, 'clean', 'absent-artifact', 'missing-verdict', 'failed-case'])(
    'has words for the row %s',
    (id) => {
      const { read, change } = textOfRow(id);
      expect(read).toMatch(/^(evidence|provenance_window|refinement)(\.[a-z_]+)*$/);
      expect(change).not.toBe('');
    },
  );

  it('refuses a row it has never heard of', () => {
    expect(() => textOfRow('toString')).toThrow('row toString has no text');
  });

  it.each([...ROW_CASES, ...PAIR_CASES, ...CHECK_CASES])(
    'names the row that gave the status: $name',
    ({ input }) => {
      const { rows, decision } = evaluateWithRows(input);
      const { why } = explainEvaluation(input, decision.status);
      expect(rows[0]?.status).toBe(decision.status);
      const named = rows[0]?.id === 'clean' ? 'no problem found in ' : `${rows[0]?.id}: `;
      expect(why.startsWith(named)).toBe(true);
      expect(why).not.toContain('\n');
    },
  );

  it('names the evidence, the other rows and the fix', () => {
    const harness = report({ a: 'failed' });
    const cases = harness.cases.map((item) => ({ ...item, artifacts: ['logs/a.log'] }));
    const input = envelope({
      transcript_summary: said('claim: tests_pass'),
      validation: failed,
      harness_report: { ...harness, cases },
    });
    expect(explainEvaluation(input, 'partial')).toEqual({
      why: 'validator-or-case-failed: the validator tests exited with 1; the case a failed (evidence.validation.exit_codes, evidence.harness_report.cases, logs/a.log); also claimed-passing',
      change: 'validators that exit with 0 and cases that pass',
    });
  });

  it.each([
    [
      'a verdict',
      { review: { expected: true, verdict: null } },
      'evidence.review.verdict',
      'a review with a verdict',
    ],
    [
      'an artifact by its requirement',
      { validation: { required_artifacts: ['a'] } },
      'evidence.validation.required_artifacts',
      'the artifact,',
    ],
    [
      'an artifact by its validation',
      { validation: { required_artifacts: ['a'], missing_artifacts: ['a'] } },
      'evidence.validation.missing_artifacts',
      'the artifact,',
    ],
  ])('says where %s is missing', (_what, evidence, place, change) => {
    const reasons = explainEvaluation(envelope(evidence), 'blocked');
    expect(reasons.why).toMatch(/^missing-artifact: .* \(.*\)$/);
    expect(reasons.why.endsWith(`(${place})`)).toBe(true);
    expect(reasons.change.startsWith(change)).toBe(true);
  });

  it('counts what it omits', () => {
    const exit_codes = { a: 1, b: 2, c: 3 };
    const input = envelope({ validation: { mechanical_outcome: 'error', exit_codes } });
    expect(explainEvaluation(input, 'partial').why).toContain('the validator b exited with 2; and 1 more (');
  });

  it('says so if a model decided more severely than the rules', () => {
    expect(explainEvaluation(envelope(), 'blocked')).toEqual({
      why: 'the planner decided blocked; by the rules it would be success (no problem found in evidence)',
      change: "another reply from the planner; it can't improve on success",
    });
  });
});

describe('the reasons of a planner', () => {
  const blocker = (code: string) => ({
    code,
    summary: `${code}  is\nso`,
    evidence_ref: null,
    severity: 'medium' as const,
  });
  const red = envelope({ validation: failed });

  it('are the blockers that the rules do not have, two at most', () => {
    const blockers = ['odd', 'validator_failed:tests', 'strange', 'queer'].map(blocker);
    expect(explainEvaluation(red, 'needs_human', blockers).why).toMatch(
      /^the planner decided needs_human: odd is so; strange is so; by the rules it would be partial \(/,
    );
  });

  it.each(['planner_unavailable', 'planner_reply_invalid'])('say that there was none for %s', (code) => {
    expect(explainEvaluation(red, 'blocked', [blocker(code)])).toEqual({
      why: expect.stringMatching(
        new RegExp(`^the planner gave no usable reply: ${code} is so; by the rules it would be partial `),
      ),
      change: 'a valid reply from the planner; the planner trace has the reply it gave',
    });
  });

  it('take a judgement without a reason for a judgement', () => {
    expect(explainEvaluation(red, 'blocked', [blocker('planner_judgement')]).why).toMatch(
      /^the planner decided blocked: /,
    );
  });

  it('name the place of evidence that does not fit', () => {
    expect(
      explainInvalidEvidence([{ path: 'evidence.artifacts', message: 'expected array, got nothing' }]).why,
    ).toBe(
      "the evidence can't be evaluated: evidence.artifacts: expected array, got nothing (planner_input)",
    );
  });
});

describe('the text of a reason', () => {
  it('names at most two files and a finding on one line', () => {
    const findings = ['a', 'b', 'c'].map((id) => ({
      id,
      summary: ` it  breaks\n${id} `,
      artifact_ref: `${id}.json`,
    }));
    const input = envelope({ review: { expected: true, verdict: 'needs-changes', findings } });
    expect(explainEvaluation(input, 'partial')).toEqual({
      why: 'changes-requested: it breaks a; it breaks b; and 1 more (evidence.review.findings, a.json, b.json)',
      change: 'a review that approves',
    });
  });

  it('name no other row where there is none', () => {
    expect(explainEvaluation(envelope(), 'success').why).toBe('no problem found in evidence');
    expect(explainEvaluation(envelope({ validation: failed }), 'partial').why).toBe(
      'validator-or-case-failed: the validator tests exited with 1 (evidence.validation.exit_codes)',
    );
  });

  it('name all other rows', () => {
    const input = envelope({
      policy_events: ['forbidden_path: x'],
      transcript_summary: said('claim: tests_pass'),
      validation: failed,
    });
    expect(explainEvaluation(input, 'unsafe').why).toMatch(
      /; also validator-or-case-failed, claimed-passing$/,
    );
  });
});
