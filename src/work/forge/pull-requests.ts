import type { Revision, WorkItem } from '../../contracts/work/work-item.ts';
import type { AgentReview } from '../../contracts/work/work-results.ts';
import type { ForgeReview, ForgeReviewComment, ForgeUser } from '../../forge/forge-values.ts';
import type { ProviderRequest } from '../items/provider-values.ts';
import { readProse } from './forge-text.ts';

/** What people ask for on the pull request of a revision. Only `trusted` users, who may write to the repository, count. */
export interface PullReading {
  readonly item: Pick<WorkItem, 'id' | 'status'>;
  readonly revision: Pick<Revision, 'id' | 'headSHA'>;
  readonly reviews: readonly ForgeReview[];
  readonly comments: readonly ForgeReviewComment[];
  readonly trusted: ReadonlySet<number>;
}

/** Each person's last verdict on the current commit. A comment without a verdict is none. */
export function findReviewRequests(reading: PullReading): readonly ProviderRequest[] {
  const { item, revision, reviews, comments, trusted } = reading;
  if (item.status !== 'review' && item.status !== 'approved') return [];
  const lastByUser = new Map<number, ForgeReview>();
  for (const review of reviews) {
    if (!trusted.has(review.author.id) || review.author.isBot) continue;
    if (review.state === 'approved' || review.state === 'changes_requested')
      lastByUser.set(review.author.id, review);
    if (review.state === 'dismissed') lastByUser.delete(review.author.id);
  }
  return [...lastByUser.values()]
    .filter(({ commit }) => commit === revision.headSHA)
    .filter(({ state }) => item.status === 'review' || state === 'changes_requested')
    .map((review) => ({
      key: `review/${review.id}`,
      kind: 'review' as const,
      itemId: item.id,
      by: review.author.login,
      revisionId: revision.id,
      headSHA: revision.headSHA,
      review: readReview(review, comments),
    }));
}

function readReview(review: ForgeReview, comments: readonly ForgeReviewComment[]): AgentReview {
  const { author, state } = review;
  const body = readProse(review.body);
  const verdict = state === 'approved' ? 'approve' : 'needs-changes';
  const plain = verdict === 'approve' ? `approved by ${author.login}` : `${author.login} asks for changes`;
  return {
    verdict,
    summary: body === '' ? plain : body,
    comments: comments
      .filter(({ reviewId, author: { id } }) => reviewId === review.id && id === author.id)
      .map(({ path, line, body: text }) => ({ path, line, body: readProse(text) })),
  };
}

/** A text that a person wrote on an issue or a pull request. */
export interface SpokenText {
  /** Identifies the text. */
  readonly key: string;
  readonly author: ForgeUser;
  readonly body: string;
}

const COMMAND = /^\s{0,3}\/conductor\s+scope\s+(?:`([^`]+)`|(\S+))(?:\s+(\S.*))?$/;

/** The lines of trusted users that extend the scope of an item. Quotes, blocks of code and conductor's own texts don't count. */
export function findScopeRequests(
  itemId: string,
  texts: readonly SpokenText[],
  trusted: ReadonlySet<number>,
): readonly ProviderRequest[] {
  return texts
    .filter(
      ({ author, body }) => trusted.has(author.id) && !author.isBot && !body.includes('<!-- conductor:'),
    )
    .flatMap(({ key, author, body }) =>
      linesOutsideCode(body).flatMap((line, index): ProviderRequest[] => {
        const [, quoted, plain, reason] = COMMAND.exec(line) ?? [];
        const path = quoted ?? plain;
        if (path === undefined) return [];
        return [
          {
            key: `${key}/${index}`,
            kind: 'extend_scope',
            itemId,
            by: author.login,
            path,
            reason: reason?.trim() ?? 'allowed in a review',
          },
        ];
      }),
    );
}

/** Whether a text has a command at all, so that its author is worth looking up. */
export function hasCommand(body: string): boolean {
  return linesOutsideCode(body).some((line) => COMMAND.test(line));
}

function linesOutsideCode(text: string): string[] {
  const lines: string[] = [];
  let fence: string | null = null;
  for (const line of text.split(/\r?\n/)) {
    const mark = /^\s{0,3}(`{3,}|~{3,})/.exec(line)?.[1] ?? null;
    if (fence === null && mark !== null) fence = mark;
    else if (fence !== null && mark?.startsWith(fence) === true) fence = null;
    else if (fence === null) lines.push(line);
  }
  return lines;
}
