import type { LineComment } from '../contracts/run/typed-feedback.ts';
import type { ForgeReview, ForgeReviewComment, ForgeUser, PullRequest } from './forge-values.ts';

/** What a forge shows of a pull request that waits for a review. */
export interface ReviewFacts {
  readonly pull: PullRequest;
  /** The commit that the gate showed. */
  readonly commit: string;
  /** The account that conductor uses. */
  readonly self: ForgeUser;
  /** Oldest first. */
  readonly reviews: readonly ForgeReview[];
  readonly comments: readonly ForgeReviewComment[];
}

export type ReviewVerdict =
  | { readonly kind: 'open' }
  /** The branch was pushed to since, so no review covers what the gate showed. */
  | { readonly kind: 'moved'; readonly headSha: string }
  | {
      readonly kind: 'answered';
      readonly answer: 'gate_approved' | 'gate_rejected';
      /** Null if the forge does not say who merged or closed it. */
      readonly by: ForgeUser | null;
      readonly comment: string | null;
      readonly lines: readonly LineComment[];
    };

/**
 * Reviews that can decide: the last one of each person, of the commit that the gate showed. A bot, the account that conductor
 * uses and the author of the pull request never count; whether the others may write is for the caller to ask.
 */
export function decidingReviews({ pull, commit, self, reviews }: ReviewFacts): readonly ForgeReview[] {
  const last = new Map<number, ForgeReview>();
  for (const review of reviews) {
    const { author, state } = review;
    if (author.isBot || author.id === self.id || author.id === pull.author.id) continue;
    if (review.commit !== commit || state === 'commented' || state === 'pending') continue;
    last.set(author.id, review);
  }
  return [...last.values()].filter(({ state }) => state !== 'dismissed');
}

/** `mayAnswer` has the ids of people with write access whose answer the gate accepts. One rejection outweighs approvals. */
export function judgeReviews(facts: ReviewFacts, mayAnswer: ReadonlySet<number>): ReviewVerdict {
  const { pull, commit, comments } = facts;
  if (pull.headSha !== commit) return { kind: 'moved', headSha: pull.headSha };
  const deciding = decidingReviews(facts).filter(({ author }) => mayAnswer.has(author.id));
  const rejecting = deciding.filter(({ state }) => state === 'changes_requested');
  const [first] = rejecting;
  if (first !== undefined && pull.state !== 'merged') {
    const ids = new Set(rejecting.map(({ id }) => id));
    const own = comments.filter(({ reviewId }) => reviewId !== null && ids.has(reviewId));
    return {
      kind: 'answered',
      answer: 'gate_rejected',
      by: first.author,
      comment: commentOf(rejecting, own),
      lines: own.flatMap(lineOf),
    };
  }
  const approved = deciding.findLast(({ state }) => state === 'approved');
  const merged = pull.state === 'merged';
  if (approved !== undefined || merged) {
    const reason = merged ? `pull request #${pull.number} was merged` : null;
    const said = approved?.body.trim() ?? '';
    return {
      kind: 'answered',
      answer: 'gate_approved',
      by: merged ? pull.mergedBy : (approved?.author ?? null),
      comment: [reason, said === '' ? null : said].filter((text) => text !== null).join(': ') || null,
      lines: [],
    };
  }
  if (pull.state === 'closed')
    return {
      kind: 'answered',
      answer: 'gate_rejected',
      by: null,
      comment: `pull request #${pull.number} was closed`,
      lines: [],
    };
  return { kind: 'open' };
}

/** The texts of the reviews, and comments on whole files. */
function commentOf(reviews: readonly ForgeReview[], comments: readonly ForgeReviewComment[]): string | null {
  const texts = [
    ...reviews.map(({ body }) => body.trim()),
    ...comments.filter(({ line }) => line === null).map(({ path, body }) => `${path}: ${body.trim()}`),
  ].filter((text) => text !== '');
  return texts.length === 0 ? null : texts.join('\n\n');
}

function lineOf({ path, line, side, body }: ForgeReviewComment): readonly LineComment[] {
  const text = body.trim();
  return line === null || text === '' ? [] : [{ path, line, side, text }];
}
