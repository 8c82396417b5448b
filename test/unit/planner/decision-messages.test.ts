import { describe, expect, it } from 'vitest';
import { evaluate } from '../../../src/planner/table/evaluate.ts';
import { evaluateByRules } from '../../../src/planner/table/evaluation.ts';
import { CHANGED, envelope, evaluation, failed, report, said, UNCHANGED } from './envelope-builder.ts';

type Evidence = Parameters<typeof envelope>[0];

/** What a reviewer reads of each blocker: its summary, and the file it points at where there is one. */
function messages(evidence: Evidence, top: Parameters<typeof envelope>[1] = {}): (string | null)[][] {
  return evaluate(envelope(evidence, top)).blockers.map(({ summary, evidence_ref: ref }) =>
    ref === null ? [summary] : [summary, ref],
  );
}

const flagged = (...ux_flags: object[]) => ({ harness_report: report({ a: 'passed' }, { ux_flags }) });
const proposing = (...proposed_goldens: unknown[]) => ({
  harness_report: report({ a: 'passed' }, { proposed_goldens }),
});

describe('what a blocker says', () => {
  it.each<[string, Evidence, (string | null)[][]]>([
    [
      'of a violation with a subject',
      { policy_events: ['forbidden_path: .github/x'] },
      [['policy violation: .github/x']],
    ],
    ['of a violation without one', { policy_events: [' Policy_Violation '] }, [['policy violation']]],
    [
      'of a wish for approval with a subject',
      { policy_events: ['requires_approval: a new dependency'] },
      [['approval required: a new dependency']],
    ],
    [
      'of a wish for approval without one',
      { policy_events: ['requires_approval'] },
      [['approval required: the step']],
    ],
    [
      'of a report that says pass',
      {
        harness_report: report({ a: 'passed' }),
        validation: { mechanical_outcome: 'error', exit_codes: { lint: 2, tests: 1 } },
      },
      [
        ['the harness report suite reports a pass, but lint exited with 2, tests exited with 1'],
        ['the validator lint exited with 2'],
        ['the validator tests exited with 1'],
      ],
    ],
    [
      "of a report that can't count",
      { harness_report: report({ a: 'passed' }, { summary: { passed: 3, failed: 0, flaky: 1 } }) },
      [
        [
          'the summary of suite does not match its cases: 3 passed reported, 1 listed; 1 flaky reported, 0 listed',
        ],
      ],
    ],
    [
      'of goldens, by path, name or proposal, with the first difference there is',
      proposing(
        'goldens/plain.txt',
        { id: 'one', golden_path: 'goldens/one.txt', kind: 'text' },
        { id: 'two', kind: 'text', diff_ref: 'harness/two.diff' },
        { proposed_path: 'harness/three.txt', diff_ref: 'harness/three.diff' },
        {},
      ),
      [
        [
          'the harness proposes new goldens: goldens/plain.txt, goldens/one.txt, two, harness/three.txt, unnamed',
          'harness/two.diff',
        ],
      ],
    ],
    [
      'of goldens without a difference, in a report that is not read further',
      { harness_report: report({}, { version: '2.0.0', proposed_goldens: ['goldens/plain.txt', 7] }) },
      [
        ['the harness proposes new goldens: goldens/plain.txt, unnamed'],
        ['harness report version "2.0.0" is not supported; supported: 1.x'],
      ],
    ],
    [
      'of an error that people see, with and without words',
      flagged(
        { severity: 'error', area: 'colour', description: 'grey on grey', evidence_ref: 'shot.png' },
        { severity: 'error', area: 'focus' },
        { severity: 'error' },
      ),
      [
        ['user interface error: colour: grey on grey', 'shot.png'],
        ['user interface error: focus'],
        ['user interface error'],
      ],
    ],
    [
      'of what people see below an error',
      flagged({ severity: 'info', description: 'slow' }, { severity: 'warning', area: 'size' }),
      [['user interface info: slow'], ['user interface warning: size']],
    ],
    [
      'of changed judges, by name',
      { validation: { judge_changed: ['test/a.test.ts', 'test/a.test.ts', 'package.json'] } },
      [['the change edits files that decide whether the checks pass: test/a.test.ts, package.json']],
    ],
    [
      'of many changed judges, in short',
      { validation: { judge_changed: ['a', 'b', 'c', 'd', 'e', 'f', 'g'] } },
      [['the change edits files that decide whether the checks pass: a, b, c, d, e and 2 more']],
    ],
    [
      'of cases that are gone or skipped',
      { validation: { fewer_checks: { base: 4, now: 1, missing: ['a'], skipped: ['b', 'c'] } } },
      [['1 case ran; 4 ran at the base; missing: a; newly skipped: b, c']],
    ],
    [
      'of a suite in which nothing ran',
      { validation: { fewer_checks: { base: 0, now: 0, missing: [], skipped: [] } } },
      [['0 cases ran; 0 ran at the base']],
    ],
    [
      'of a run that changed nothing',
      { run_changed: false },
      [['the step was asked to implement something, but the workspace does not differ from the base']],
    ],
    [
      "of validators that can't start any more, with the exit code where there is one",
      {
        validation: {
          mechanical_outcome: 'error',
          exit_codes: { tests: 127 },
          environment_failures: ['tests', 'lint', 'tests'],
        },
      },
      [
        ["the validator tests can't start (exit code 127), although it ran at the base"],
        ["the validator lint can't start, although it ran at the base"],
        ['the validator tests exited with 127'],
      ],
    ],
    [
      'of a case that passed at the base',
      {
        harness_report: report({ a: 'failed', b: 'failed' }),
        validation: { ...failed, exit_codes: {}, regressions: ['b', 'gone'] },
      },
      [['the case a failed'], ['the case b failed; it passed at the base']],
    ],
    [
      'of files that are missing, each once',
      {
        artifacts: ['./there.txt'],
        validation: { required_artifacts: ['there.txt', 'a.txt', 'b.txt'], missing_artifacts: ['b.txt'] },
        review: { expected: true, verdict: null, findings: [] },
      },
      [
        ['the required artifact b.txt is missing'],
        ['the required artifact a.txt is missing'],
        ['the review gave no verdict'],
      ],
    ],
    [
      'of a report of another version',
      { harness_report: report({}, { version: '2.1.0' }) },
      [['harness report version "2.1.0" is not supported; supported: 1.x']],
    ],
    [
      'of a report without a version',
      { harness_report: report({}, { version: undefined }) },
      [['harness report version none is not supported; supported: 1.x']],
    ],
    [
      'of a validation that nothing explains',
      { validation: { mechanical_outcome: 'killed_idle', exit_codes: {} } },
      [['the validation ended as killed_idle, but nothing in the evidence explains why']],
    ],
    [
      'of a validator that ran out of time',
      { validation: { mechanical_outcome: 'killed_timeout', exit_codes: {}, timeouts: ['slow', 'slow'] } },
      [['the validator slow timed out']],
    ],
    [
      'of blockers of an agent, with and without words',
      { transcript_summary: said('blocker: spec-gap | which code', 'blocker: tired') },
      [['the agent reports spec-gap: which code'], ['the agent reports tired']],
    ],
    [
      'of a case that failed, with its first artifact',
      {
        harness_report: {
          ...report({ a: 'failed', b: 'failed' }),
          cases: [
            { id: 'a', status: 'failed', artifacts: ['a.log', 'a.png'] },
            { id: 'b', status: 'failed' },
          ],
        },
      },
      [['the case a failed', 'a.log'], ['the case b failed']],
    ],
    [
      'of work that is not there',
      { transcript_summary: said('claim: fixed'), workspace_diff_summary: UNCHANGED },
      [['the agent claims that the work is done, but no file changed']],
    ],
    [
      'of tests that do not pass, and of files that are not there',
      { transcript_summary: said('claim: tests_pass', 'claim: created ./x.ts'), validation: failed },
      [
        ['the validator tests exited with 1'],
        ['the agent claims that the tests pass, but a validator failed'],
        [
          'the agent claims that it created x.ts, but the file is neither in the diff nor among the artifacts',
        ],
      ],
    ],
    [
      'of what a review found, with the review',
      {
        review: {
          expected: true,
          verdict: 'needs-changes',
          findings: [
            { id: 'f1', summary: 'no unit', artifact_ref: 'artifacts/review/review.json' },
            { id: 'f2', summary: 'no test' },
          ],
        },
      },
      [['no unit', 'artifacts/review/review.json'], ['no test']],
    ],
  ])('%s', (_name, evidence, expected) => {
    expect(messages(evidence)).toEqual(expected);
  });

  it.each<[string, Parameters<typeof envelope>[1], string]>([
    [
      'of a third partial result',
      { provenance_window: [evaluation(), evaluation()] },
      'this would be the third partial result in a row',
    ],
    ['of a refinement that is spent', { refinement: { spent: 2, max: 2 } }, '2 of 2 refinements are spent'],
    [
      'of no progress',
      {
        provenance_window: [evaluation({ diff_summary: CHANGED, blocker_codes: ['validator_failed:tests'] })],
      },
      'the validator tests exited with 1, as in the previous evaluation, and the workspace has not changed since',
    ],
  ])('%s', (_name, top, expected) => {
    expect(messages({ validation: failed }, top)[0]).toEqual([expected]);
  });

  it('of a second contradiction names both', () => {
    const top = { provenance_window: [evaluation({ risk_flags: ['flaky_checks', 'missing_artifact'] })] };
    expect(messages({ transcript_summary: said('claim: created x.ts') }, top)).toEqual([
      [
        'the agent claims that it created x.ts, but the file is neither in the diff nor among the artifacts; an earlier evaluation also found a contradiction',
      ],
    ]);
  });
});

describe('fix instructions', () => {
  const fix = (evidence: Evidence, top: Parameters<typeof envelope>[1] = {}) =>
    evaluate(envelope(evidence, top)).fix_instructions;

  it('state everything that the evidence names, and nothing else', () => {
    const cases = [
      { id: 'a', status: 'failed', repro: ' ', observations: [' saw  1', 'wanted 2 '] },
      { id: 'b', status: 'failed', observations: [] },
    ];
    const evidence: Evidence = {
      transcript_summary: said('claim: created x.ts'),
      harness_report: { ...report({ a: 'failed', b: 'failed' }), cases },
      validation: { mechanical_outcome: 'error', exit_codes: { tests: 3, lint: 0 }, timeouts: ['slow'] },
      review: {
        expected: true,
        verdict: 'needs-changes',
        findings: [
          { id: 'f1', summary: 'no unit', path: 'src/a.ts', line: 7 },
          { id: 'f2', summary: 'no test', path: 'src/b.ts', line: null },
          { id: 'f3', summary: 'too long', path: '' },
          { id: 'f4', summary: 'too short' },
        ],
      },
    };
    expect(fix(evidence, { step_intent: '  add a unit  ' })).toEqual({
      objective:
        'resolve: the validator tests exited with 3; the case a failed; the case b failed; the validator slow timed out; the agent claims that it created x.ts, but the file is neither in the diff nor among the artifacts; no unit; no test; too long; too short (step intent: add a unit)',
      constraints: [
        'keep every check that passes now passing',
        'do not change tests, goldens or validators to make a check pass',
      ],
      edits: [
        { target: 'a', action: 'make the case a pass', rationale: 'saw  1\nwanted 2' },
        { target: 'b', action: 'make the case b pass', rationale: 'the harness report lists it as failed' },
        { target: 'tests', action: 'make the validator tests exit with 0', rationale: 'it exited with 3' },
        {
          target: 'slow',
          action: 'make the validator slow finish within its time limit',
          rationale: 'it timed out',
        },
        {
          target: 'x.ts',
          action: 'create x.ts',
          rationale:
            'the agent claims that it created this file, but the file is neither in the diff nor among the artifacts',
        },
        { target: 'src/a.ts:7', action: 'address the review finding', rationale: 'no unit' },
        { target: 'src/b.ts', action: 'address the review finding', rationale: 'no test' },
      ],
      verification: [
        { command: 'tests', expected_signal: 'exit code 0' },
        { command: 'slow', expected_signal: 'exit code 0' },
        { command: 'lint', expected_signal: 'exit code 0' },
      ],
    });
  });

  it('say nothing of an intent that is empty', () => {
    expect(fix({ validation: failed }, { step_intent: '  ' })?.objective).toBe(
      'resolve: the validator tests exited with 1',
    );
  });

  it('name the change where no validator ran, and all validators where none failed', () => {
    const blocker = { transcript_summary: said('blocker: spec-gap | which code') };
    expect(fix({ ...blocker, validation: { exit_codes: {} } })?.verification).toEqual([
      { command: 'git diff --stat', expected_signal: 'it lists the requested change' },
    ]);
    expect(fix({ ...blocker, validation: { exit_codes: { tests: 0, lint: 0 } } })?.verification).toEqual([
      { command: 'tests', expected_signal: 'exit code 0' },
      { command: 'lint', expected_signal: 'exit code 0' },
    ]);
  });
});

describe('a judgement by the rules', () => {
  it('has its own decision as floor, and the rows that fired', () => {
    const { decision, trace } = evaluateByRules(
      envelope({ transcript_summary: said('claim: tests_pass'), validation: failed }),
    );
    expect(trace).toEqual({
      floor: decision,
      proposal: null,
      verdict: 'rules',
      rows: ['validator-or-case-failed', 'claimed-passing'],
      usage: null,
      attempts: 0,
    });
    expect(decision.status).toBe('partial');
  });

  it('blocks on evidence that does not fit, and says where', () => {
    const input = envelope(
      { harness_report: report({}, { suite_id: undefined }) },
      { route_hints: { blocked: 'gate' } },
    );
    const { decision, trace } = evaluateByRules(input);
    expect(decision).toEqual({
      status: 'blocked',
      next_step: 'gate',
      fix_instructions: null,
      blockers: [
        {
          code: 'invalid_evidence',
          summary: expect.stringMatching(
            /^the evidence can't be evaluated: evidence\.harness_report\.suite_id [a-z].*[^ ]$/,
          ),
          evidence_ref: null,
          severity: 'medium',
        },
      ],
      risk_flags: [],
    });
    expect(trace.rows).toEqual([]);
  });
});
