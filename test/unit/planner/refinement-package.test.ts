import { describe, expect, it } from 'vitest';
import { refinementPackageSchema } from '../../../src/contracts/planner/refinement-package.ts';
import { composeRefinementPackage } from '../../../src/planner/refinement-package.ts';
import { evaluate } from '../../../src/planner/table/evaluate.ts';
import { CHECK_CASES } from './check-cases.ts';
import { envelope, failed, report, said } from './envelope-builder.ts';
import { PAIR_CASES } from './pair-cases.ts';
import { ROW_CASES } from './row-cases.ts';

const REF = 'artifacts/judge/planner_decision.json';

describe('the refinement package', () => {
  it.each([...ROW_CASES, ...PAIR_CASES, ...CHECK_CASES])(
    'exists for partial only, and is complete: $name',
    ({ input }) => {
      const decision = evaluate(input);
      const made = composeRefinementPackage(decision, REF);
      expect(made === null).toBe(decision.status !== 'partial');
      if (made === null) return;
      expect(refinementPackageSchema.parse(made)).toEqual(made);
      expect(made.issues.length).toBeGreaterThan(0);
      for (const { artifact_refs: refs } of made.issues) expect(refs).not.toEqual([]);
      expect(made.verification).not.toEqual([]);
    },
  );

  it('names each issue once, with its evidence', () => {
    const harness = report({ a: 'failed' });
    const cases = harness.cases.map((item) => ({
      ...item,
      artifacts: ['logs/a.log'],
      observations: ['1 ≠ 2'],
    }));
    const input = envelope({
      transcript_summary: said('claim: created src/b.ts', 'blocker: spec-gap | which code'),
      validation: failed,
      harness_report: { ...harness, cases },
      review: {
        expected: true,
        verdict: 'needs-changes',
        findings: [
          {
            id: 'f1',
            summary: 'no test',
            path: 'src/a.ts',
            line: 3,
            artifact_ref: 'artifacts/review/review.json',
          },
          { id: 'f2', summary: 'too slow', artifact_ref: 'artifacts/review/review.json' },
        ],
      },
    });
    expect(composeRefinementPackage(evaluate(input), REF)?.issues).toEqual([
      { summary: '1 ≠ 2', target: 'a', action: 'make the case a pass', artifact_refs: ['logs/a.log'] },
      {
        summary: 'it exited with 1',
        target: 'tests',
        action: 'make the validator tests exit with 0',
        artifact_refs: [REF],
      },
      {
        summary:
          'the agent claims that it created this file, but the file is neither in the diff nor among the artifacts',
        target: 'src/b.ts',
        action: 'create src/b.ts',
        artifact_refs: [REF],
      },
      {
        summary: 'no test',
        target: 'src/a.ts:3',
        action: 'address the review finding',
        artifact_refs: ['artifacts/review/review.json'],
      },
      {
        summary: 'the agent reports spec-gap: which code',
        target: null,
        action: 'resolve spec-gap',
        artifact_refs: [REF],
      },
      {
        summary: 'too slow',
        target: null,
        action: 'resolve review_finding:f2',
        artifact_refs: ['artifacts/review/review.json'],
      },
    ]);
  });
});
