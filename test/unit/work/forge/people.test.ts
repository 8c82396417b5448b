import { describe, expect, it } from 'vitest';
import type { ForgeReview, ForgeReviewComment, ForgeUser } from '../../../../src/forge/forge-values.ts';
import {
  findReviewRequests,
  findScopeRequests,
  hasCommand,
} from '../../../../src/work/forge/pull-requests.ts';

const MIA: ForgeUser = { id: 1, login: 'mia', isBot: false };
const ROB: ForgeUser = { id: 2, login: 'rob', isBot: false };
const STRANGER: ForgeUser = { id: 3, login: 'mia-', isBot: false };
const BOT: ForgeUser = { id: 4, login: 'mia[bot]', isBot: true };
const TRUSTED = new Set([MIA.id, ROB.id, BOT.id]);

let nextId = 0;
const review = (author: ForgeUser, state: ForgeReview['state'], commit = 'head'): ForgeReview => {
  nextId += 1;
  return { id: nextId, author, state, body: 'text', commit, submittedAt: null };
};
const find = (
  reviews: readonly ForgeReview[],
  status: 'review' | 'approved' | 'pending' = 'review',
  comments: readonly ForgeReviewComment[] = [],
) =>
  findReviewRequests({
    item: { id: '3', status },
    revision: { id: 'r3', headSHA: 'head' },
    reviews,
    comments,
    trusted: TRUSTED,
  }).map((request) => (request.kind === 'review' ? `${request.by} ${request.review.verdict}` : request.kind));

describe('a review on a forge', () => {
  it.each([
    ['counts', [review(MIA, 'approved')], ['mia approve']],
    ['asks for changes', [review(MIA, 'changes_requested')], ['mia needs-changes']],
    [
      'counts once for each person, the last one',
      [review(MIA, 'approved'), review(MIA, 'changes_requested')],
      ['mia needs-changes'],
    ],
    [
      'of two people counts twice',
      [review(MIA, 'approved'), review(ROB, 'changes_requested')],
      ['mia approve', 'rob needs-changes'],
    ],
    ['without a verdict says nothing', [review(MIA, 'commented')], []],
    ['that is not submitted says nothing', [review(MIA, 'pending')], []],
    ['that was dismissed does not count', [review(MIA, 'approved'), review(MIA, 'dismissed')], []],
    ['of a stranger does not count', [review(STRANGER, 'approved')], []],
    ['of a bot does not count, whatever its name', [review(BOT, 'approved')], []],
    ['of an earlier commit does not count', [review(MIA, 'approved', 'older')], []],
  ])('%s', (_, reviews, expected) => {
    expect(find(reviews)).toEqual(expected);
  });

  it('of an approved item is asked about only if it wants changes, and of another item never', () => {
    expect(find([review(MIA, 'approved'), review(ROB, 'changes_requested')], 'approved')).toEqual([
      'rob needs-changes',
    ]);
    expect(find([review(MIA, 'changes_requested')], 'pending')).toEqual([]);
  });

  it('has the comments of its author on lines', () => {
    const asked = review(MIA, 'changes_requested');
    const comment = (author: ForgeUser, reviewId: number | null): ForgeReviewComment => ({
      id: 9,
      reviewId,
      pullNumber: 5,
      author,
      path: 'a.ts',
      line: 4,
      side: 'new',
      body: 'why?',
    });
    const [request] = findReviewRequests({
      item: { id: '3', status: 'review' },
      revision: { id: 'r3', headSHA: 'head' },
      reviews: [asked],
      comments: [comment(MIA, asked.id), comment(STRANGER, asked.id), comment(MIA, null)],
      trusted: TRUSTED,
    });
    expect(request).toMatchObject({ review: { comments: [{ path: 'a.ts', line: 4, body: 'why?' }] } });
  });
});

describe('a comment that extends a scope', () => {
  const texts = (author: ForgeUser, body: string) => [{ key: 'comment/1', author, body }];
  it.each([
    ['/conductor scope docs/a.md it lists them', ['docs/a.md: it lists them']],
    ['/conductor scope `docs/a b.md` why not', ['docs/a b.md: why not']],
    ['/conductor scope docs/a.md', ['docs/a.md: allowed in a review']],
    ['Fine.\n\n/conductor scope a x\n/conductor scope b y', ['a: x', 'b: y']],
    ['please /conductor scope a x', []],
    ['> /conductor scope a x', []],
    ['```\n/conductor scope a x\n```', []],
    ['~~~~\n/conductor scope a x\n~~~\n~~~~\n/conductor scope b y', ['b: y']],
    ['/conductor scope', []],
    ['    /conductor scope a x', []],
    ['/conductor scope a x\n<!-- conductor:note 0b5a/1 -->', []],
  ])('%j', (body, expected) => {
    const found = findScopeRequests('3', texts(MIA, body), TRUSTED);
    const shown = found.map((each) => (each.kind === 'extend_scope' ? `${each.path}: ${each.reason}` : ''));
    expect(shown).toEqual(expected);
    if (expected.length > 0) expect(hasCommand(body)).toBe(true);
  });

  it('of a stranger or a bot does not count', () => {
    const body = '/conductor scope a x';
    expect(findScopeRequests('3', [...texts(STRANGER, body), ...texts(BOT, body)], TRUSTED)).toEqual([]);
  });
});
