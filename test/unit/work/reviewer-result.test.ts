import { describe, expect, it } from 'vitest';
import { checkReviewerResult } from '../../../src/work/results/reviewer-result.ts';
import { codesOf, FINDING, reviewerResult } from './work-fixtures.ts';

const codesFor = (verdict: string, bodies: readonly string[], summary?: string) =>
  codesOf(checkReviewerResult(reviewerResult(verdict, bodies, summary)));

describe('a reviewer result', () => {
  it.each([
    ['approves without a comment', 'approve', [], []],
    ['approves with warnings', 'approve', ['[Warning] src/a.ts is not in scope.', '  [Warning] b'], []],
    [
      'approves with warnings in bold, in backticks, in a list and in another case',
      'approve',
      ['**[Warning]** a', '`[Warning]` a', '- [Warning] a', '[WARNING]: a'],
      [],
    ],
    ['approves with a comment that speaks of a warning', 'approve', ['No [Warning] here'], ['WR303']],
    ['approves with a finding', 'approve', ['[Warning] a', FINDING], ['WR303']],
    ['approves with two findings', 'approve', [FINDING, 'wrong'], ['WR303', 'WR303']],
    ['approves with a warning in another form', 'approve', ['Warning: a'], ['WR303']],
    ['needs changes with a finding', 'needs-changes', [FINDING], []],
    ['needs changes with a finding and a warning', 'needs-changes', ['[Warning] a', FINDING], []],
    ['needs changes without a comment', 'needs-changes', [], ['WR304']],
    ['needs changes with warnings alone', 'needs-changes', ['[Warning] a'], ['WR304']],
    ['has a verdict of its own', 'reject', [FINDING], ['WR302']],
  ])('that %s has the problems of its verdict', (_, verdict, bodies, codes) => {
    expect(codesFor(verdict, bodies)).toEqual(codes);
  });

  it.each([
    ['What', ['WR305']],
    ['Why', ['WR306']],
    ['Fix', ['WR307']],
  ])('is refused for a finding without %s', (component, codes) => {
    const finding = ['What', 'Why', 'Fix']
      .filter((name) => name !== component)
      .map((name) => `${name}: said.`);
    expect(codesFor('needs-changes', [finding.join('\n')])).toEqual(codes);
    expect(codesFor('needs-changes', [`${finding.join('\n')}\n${component}:`])).toEqual(codes);
  });

  it.each([
    ['on lines', 'What: a\nWhy: b\nFix: c'],
    ['on one line', FINDING],
    ['in bold', '**What:** a\n**Why:** b\n**Fix:** c'],
    ['in bold, with dashes', '**What** — a\n\n**Why** — b\n\n**Fix** — c'],
    ['in bold, on one line', '**What**: a **Why**: b **Fix**: c'],
    ['in a list', '- What: a\n- Why: b\n- Fix: c'],
    ['under headings', '### What\n\na\n\n### Why\n\nb\n\n### Fix\n\nc'],
    ['in capitals', 'WHAT: a\nWHY: b\nFIX: c'],
    ['in small letters', 'what: a\nwhy: b\nfix: c'],
    ['in another order', 'Fix: c\nWhat: a\nWhy: b'],
    ['behind a title', 'No limit\n\nWhat: a\nWhy: b\nFix: c'],
    ['in brackets', '[What] a\n[Why] b\n[Fix] c'],
    ['in a table', '| What | Why | Fix |\n| --- | --- | --- |\n| a | b | c |'],
    ['in rows of a table', '| | |\n| --- | --- |\n| What | a |\n| **Why** | b |\n| Fix | c |'],
    ['with the ends of lines of another system', 'What: a\r\nWhy: b\r\nFix: c\r\n'],
  ])('takes findings whose parts are written %s', (_, body) => {
    expect(codesFor('needs-changes', [body])).toEqual([]);
  });

  it('is refused for a table with an empty cell', () => {
    const body = '| What | Why | Fix |\n| --- | --- | --- |\n| a | b | |';
    expect(codesFor('needs-changes', [body])).toEqual(['WR307']);
  });

  it('gets all problems, with the index and the position of the comment', () => {
    const result = reviewerResult('needs-changes', [FINDING, 'What is this?']);
    expect(checkReviewerResult(result)).toEqual({
      ok: false,
      problems: ['WR305', 'WR306', 'WR307'].map((code) => ({
        path: 'review.comments.1.body',
        code,
        message: expect.stringMatching(/^comment 1 \(src\/1\.ts\) has no /),
      })),
    });
  });

  it('has a summary', () => {
    expect(codesFor('approve', [], ' ')).toEqual(['WR308']);
  });

  it.each([
    ['another role', { role: 'planner' }, 'WR301'],
    ['a key more', { more: 1 }, 'WR001'],
    ['no review', { review: undefined }, 'WR001'],
  ])('is refused with %s', (_, changes, code) => {
    expect(codesOf(checkReviewerResult({ ...reviewerResult('approve', []), ...changes }))).toEqual([code]);
  });

  it.each([0, -1, 1.5, '3'])('is refused with %j as a line', (line) => {
    const comment = { path: 'src/a.ts', line, body: FINDING };
    const review = { verdict: 'needs-changes', summary: 'One.', comments: [comment] };
    expect(checkReviewerResult({ role: 'reviewer', review })).toMatchObject({
      problems: [{ path: 'review.comments.0.line', code: 'WR001' }],
    });
  });
});
