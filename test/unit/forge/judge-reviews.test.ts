import { describe, expect, it } from 'vitest';
import type { ForgeReview, ForgeReviewComment, PullRequest } from '../../../src/forge/forge-values.ts';
import { decidingReviews, judgeReviews, type ReviewFacts } from '../../../src/forge/judge-reviews.ts';

const HEAD = 'a'.repeat(40);
const user = (id: number, isBot = false) => ({ id, login: `user-${id}`, isBot });
const SELF = user(1);
const PULL: PullRequest = {
  id: 5,
  number: 9,
  url: 'https://forge.example/9',
  title: '',
  body: '',
  state: 'open',
  isDraft: true,
  headRef: 'branch',
  headSha: HEAD,
  headRepositoryId: 3,
  baseRef: 'main',
  author: SELF,
  labels: [],
  mergeSha: null,
  mergedBy: null,
  createdAt: '',
  updatedAt: '',
};
let lastId = 100;
const nextId = () => {
  lastId += 1;
  return lastId;
};
const review = (by: number, state: ForgeReview['state'], change: Partial<ForgeReview> = {}): ForgeReview => ({
  id: nextId(),
  author: user(by),
  state,
  body: '',
  commit: HEAD,
  submittedAt: null,
  ...change,
});
const comment = (of: ForgeReview, change: Partial<ForgeReviewComment>): ForgeReviewComment => ({
  id: nextId(),
  reviewId: of.id,
  pullNumber: 9,
  author: of.author,
  path: 'a.ts',
  line: 3,
  side: 'new',
  body: 'why?',
  ...change,
});

const judge = (reviews: readonly ForgeReview[], change: Partial<ReviewFacts> = {}, writers = [2, 3]) =>
  judgeReviews({ pull: PULL, commit: HEAD, self: SELF, reviews, comments: [], ...change }, new Set(writers));

describe('the verdict of reviews', () => {
  it.each<[string, readonly ForgeReview[], object]>([
    ['is open without reviews', [], { kind: 'open' }],
    ['is an approval by a person who may write', [review(2, 'approved')], { answer: 'gate_approved' }],
    ['ignores people who may not', [review(7, 'approved')], { kind: 'open' }],
    ['ignores comments', [review(2, 'commented', { body: 'approved!' })], { kind: 'open' }],
    ['ignores reviews that are not submitted', [review(2, 'pending')], { kind: 'open' }],
    ['ignores bots', [review(2, 'approved', { author: user(2, true) })], { kind: 'open' }],
    ['ignores the account that conductor uses', [review(1, 'approved')], { kind: 'open' }],
    ['ignores reviews of another commit', [review(2, 'approved', { commit: 'b' })], { kind: 'open' }],
    ['ignores dismissed reviews', [review(2, 'approved'), review(2, 'dismissed')], { kind: 'open' }],
    [
      'goes by the last review of each person',
      [review(2, 'changes_requested'), review(2, 'approved')],
      { answer: 'gate_approved' },
    ],
    [
      'lets one rejection outweigh approvals',
      [review(2, 'changes_requested'), review(3, 'approved')],
      { answer: 'gate_rejected', by: { id: 2 } },
    ],
  ])('%s', (_, reviews, expected) => {
    expect(judge(reviews, {}, [1, 2, 3])).toMatchObject(expected);
  });

  it('never counts a review by the author of the pull request', () => {
    const pull = { ...PULL, author: user(2) };
    expect(judge([review(2, 'approved')], { pull })).toEqual({ kind: 'open' });
    expect(
      decidingReviews({ pull, commit: HEAD, self: SELF, reviews: [review(3, 'approved')], comments: [] }),
    ).toHaveLength(1);
  });

  it('takes texts and lines from the rejecting reviews alone', () => {
    const no = review(2, 'changes_requested', { body: 'Not yet.' });
    const other = review(3, 'approved');
    const comments = [
      comment(no, {}),
      comment(no, { line: null, body: 'all of it' }),
      comment(no, { side: 'old', line: 8, body: ' kept? ' }),
      comment(other, { body: 'nice' }),
    ];
    expect(judge([no, other], { comments })).toEqual({
      kind: 'answered',
      answer: 'gate_rejected',
      by: user(2),
      comment: 'Not yet.\n\na.ts: all of it',
      lines: [
        { path: 'a.ts', line: 3, side: 'new', text: 'why?' },
        { path: 'a.ts', line: 8, side: 'old', text: 'kept?' },
      ],
    });
  });

  it('approves what was merged, rejects what was closed, and trusts neither if the branch was moved', () => {
    const merged = { ...PULL, state: 'merged', mergedBy: user(3) } as const;
    expect(judge([review(2, 'changes_requested')], { pull: merged })).toMatchObject({
      answer: 'gate_approved',
      by: user(3),
      comment: 'pull request #9 was merged',
    });
    expect(judge([], { pull: { ...PULL, state: 'closed' } })).toMatchObject({
      answer: 'gate_rejected',
      by: null,
    });
    const moved = { kind: 'moved', headSha: 'c' };
    expect(judge([review(2, 'approved')], { pull: { ...merged, headSha: 'c' } })).toEqual(moved);
  });
});
