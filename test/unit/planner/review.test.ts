import { describe, expect, it } from 'vitest';
import type { AgentResultFile } from '../../../src/contracts/run/agent-result.ts';
import { readReview } from '../../../src/planner/review.ts';

const finding = {
  id: 'f1',
  summary: 'What: no test. Why: criterion 2. Fix: add one.',
  path: 'a.ts',
  line: 3,
};
const comment = { path: 'a.ts', line: 3, body: 'What: no test.\nWhy: criterion 2.\nFix: add one.' };
const warning = { path: 'b.ts', line: null, body: '[Warning] long file' };

describe('a review', () => {
  it.each<[string, AgentResultFile, object]>([
    [
      'in the form of a reviewer',
      { review: { verdict: 'needs-changes', summary: 'One.', comments: [comment, warning] } },
      { verdict: 'needs-changes', summary: 'One.', findings: [finding], problem: null },
    ],
    [
      'that only warns',
      { review: { verdict: 'approve', summary: 'Fine.', comments: [warning] } },
      { verdict: 'approve', summary: 'Fine.', findings: [], problem: null },
    ],
    [
      'with verdict and findings of its own',
      {
        verdict: 'needs-changes',
        findings: [
          { id: 'x', summary: 's' },
          { summary: 't', path: 'p' },
        ],
      },
      {
        verdict: 'needs-changes',
        summary: null,
        findings: [
          { id: 'x', summary: 's' },
          { id: 'f2', summary: 't', path: 'p' },
        ],
        problem: null,
      },
    ],
    [
      'whose findings are its blockers',
      { blockers: [{ code: 'race', summary: 'two at a time' }] },
      {
        verdict: 'needs-changes',
        summary: null,
        findings: [{ id: 'race', summary: 'two at a time' }],
        problem: null,
      },
    ],
    [
      'that lists no blocker',
      { blockers: [] },
      { verdict: 'approve', summary: null, findings: [], problem: null },
    ],
    [
      'that lists no finding',
      { findings: [] },
      { verdict: 'approve', summary: null, findings: [], problem: null },
    ],
  ])('%s is read', (_what, result, expected) => {
    expect(readReview(result, '')).toEqual(expected);
    expect(readReview(null, `So much for that.\n${JSON.stringify(result)}`)).toEqual(expected);
  });

  it('in a result file takes precedence over the final message', () => {
    expect(readReview({ verdict: 'approve' }, '{"findings":[{"summary":"s"}]}').verdict).toBe('approve');
  });

  it('is taken from the final message when the result file has none', () => {
    expect(readReview({ final: 'x', claims: [] }, '{"verdict":"approve"}').verdict).toBe('approve');
  });

  it.each<[string, AgentResultFile | null, string, string]>([
    ['only talks', null, 'Looks good to me, approve!', 'the reviewer gave no verdict'],
    ['says nothing', null, '', 'the reviewer gave no verdict'],
    [
      'has another word for it',
      null,
      'So.\n{"verdict":"request-changes","findings":[{"summary":"s"}]}',
      'the reviewer\'s result is invalid: verdict: expected one of "approve"|"needs-changes"',
    ],
    [
      'approves and finds',
      { verdict: 'approve', findings: [{ summary: 's' }] },
      '',
      'the reviewer approves but lists a finding',
    ],
    [
      'approves and finds a lot',
      { review: { verdict: 'approve', summary: '', comments: [comment, comment] } },
      '',
      'the reviewer approves but lists 2 findings',
    ],
    [
      'wants changes and names none',
      { review: { verdict: 'needs-changes', summary: '', comments: [warning] } },
      '',
      'the reviewer requests changes but lists no finding',
    ],
  ])('of a reviewer who %s has no verdict', (_what, result, text, problem) => {
    expect(readReview(result, text)).toMatchObject({ verdict: null, problem });
  });

  it('says why a result file does not count', () => {
    const problem = 'the result file is ignored: it is not JSON';
    expect(readReview(null, 'Approved.', problem)).toMatchObject({ verdict: null, problem });
    expect(readReview(null, '{"verdict":"approve"}', problem)).toMatchObject({
      verdict: 'approve',
      problem: null,
    });
  });
});
