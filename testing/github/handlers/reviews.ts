import { shownLines } from '../bare-repository.ts';
import {
  actor,
  checkTexts,
  findPull,
  type Handler,
  invalid,
  list,
  notFound,
  type RepositoryCall,
  read,
  sinceOf,
  write,
} from '../call.ts';
import { nextId, type Pull, type Review, type ReviewComment } from '../state.ts';
import { sortComments } from './issues.ts';
import { filesOf } from './pulls.ts';

interface DraftComment {
  readonly path: string;
  readonly body: string;
  readonly line?: number;
  readonly start_line?: number;
  readonly side?: 'LEFT' | 'RIGHT';
}

const STATES = { APPROVE: 'APPROVED', REQUEST_CHANGES: 'CHANGES_REQUESTED', COMMENT: 'COMMENTED' } as const;

/** Reviews of pull requests and the comments on lines. */
export const reviewHandlers: Readonly<Record<string, Handler>> = {
  'pulls/list-reviews': read((call) => {
    const { repository, documents } = call;
    const { pull } = findPull(call);
    return list(
      repository.reviews.filter(
        ({ number, state, authorId }) =>
          number === pull.number && (state !== 'PENDING' || authorId === call.user?.id),
      ),
      (review) => documents.review(repository, review),
    );
  }),

  'pulls/get-review': read((call) => ({
    status: 200,
    body: call.documents.review(call.repository, findReview(call)),
  })),

  'pulls/create-review': write('read', async (call) => {
    const { repository, documents, state, now } = call;
    const { pull, issue } = findPull(call);
    const fields = (call.body ?? {}) as {
      event?: keyof typeof STATES;
      body?: string;
      commit_id?: string;
      comments?: DraftComment[];
    };
    checkTexts('PullRequestReview', fields);
    const author = actor(call);
    const isOwn = issue.authorId === author.id;
    if (isOwn && fields.event === 'APPROVE') throw unprocessable('Can not approve your own pull request');
    if (isOwn && fields.event === 'REQUEST_CHANGES')
      throw unprocessable('Can not request changes on your own pull request');
    const body = fields.body ?? '';
    if (body.trim() === '' && (fields.comments ?? []).length === 0 && fields.event !== 'APPROVE')
      throw unprocessable('Body can not be blank');
    if (fields.commit_id !== undefined && (await repository.bare.resolve(fields.commit_id)) === null)
      throw unprocessable('The commit_id is not part of the pull request');
    const comments = await Promise.all(
      (fields.comments ?? []).map((comment) => placeComment(call, pull, comment)),
    );
    const review: Review = {
      id: nextId(state),
      number: pull.number,
      authorId: author.id,
      body,
      state: fields.event === undefined ? 'PENDING' : STATES[fields.event],
      commitId: fields.commit_id ?? pull.headSha,
      submittedAt: fields.event === undefined ? null : now,
    };
    repository.reviews.push(review);
    for (const place of comments) repository.reviewComments.push(place(review.id));
    issue.updatedAt = now;
    return { status: 200, body: documents.review(repository, review) };
  }),

  'pulls/update-review': write('read', (call) => {
    const review = findReview(call);
    if (review.authorId !== actor(call).id) throw notFound();
    const { body } = call.body as { body: string };
    checkTexts('PullRequestReview', { body });
    review.body = body;
    return { status: 200, body: call.documents.review(call.repository, review) };
  }),

  'pulls/submit-review': write('read', (call) => {
    const review = findReview(call);
    const { issue } = findPull(call);
    const { event, body } = call.body as { event: keyof typeof STATES; body?: string };
    if (review.authorId !== actor(call).id) throw notFound();
    if (review.state !== 'PENDING') throw unprocessable('The review is already submitted');
    if (issue.authorId === review.authorId && event !== 'COMMENT')
      throw unprocessable('Can not approve your own pull request');
    review.state = STATES[event];
    review.body = body ?? review.body;
    review.submittedAt = call.now;
    return { status: 200, body: call.documents.review(call.repository, review) };
  }),

  'pulls/dismiss-review': write('write', (call) => {
    const review = findReview(call);
    if (review.state !== 'APPROVED' && review.state !== 'CHANGES_REQUESTED')
      throw unprocessable('Can not dismiss a review that is not an approval or a request');
    review.state = 'DISMISSED';
    return { status: 200, body: call.documents.review(call.repository, review) };
  }),

  'pulls/list-comments-for-review': read((call) => {
    const { repository, documents } = call;
    const review = findReview(call);
    return list(
      repository.reviewComments.filter(({ reviewId }) => reviewId === review.id),
      (comment) => {
        // A list of one review leaves out where in the file a comment is.
        const { line, original_line, side, start_line, start_side, ...rest } = documents.reviewComment(
          repository,
          comment,
        );
        return { ...rest, line, original_line, side, start_line, start_side };
      },
    );
  }),

  'pulls/list-review-comments': read((call) => {
    const { repository, documents } = call;
    const { pull } = findPull(call);
    const since = sinceOf(call.query);
    const found = repository.reviewComments.filter(
      ({ number, updatedAt }) => number === pull.number && (since === null || updatedAt >= since),
    );
    return list(sortComments(found, call.query), (comment) => documents.reviewComment(repository, comment));
  }),

  'pulls/list-review-comments-for-repo': read(({ repository, documents, query }) => {
    const since = sinceOf(query);
    const found = repository.reviewComments.filter(({ updatedAt }) => since === null || updatedAt >= since);
    return list(sortComments(found, query), (comment) => documents.reviewComment(repository, comment));
  }),

  'pulls/create-review-comment': write('read', async (call) => {
    const { repository, documents, now } = call;
    const { pull, issue } = findPull(call);
    const place = await placeComment(call, pull, call.body as DraftComment).catch(() => {
      throw invalid([{ resource: 'PullRequestReviewComment', code: 'custom', field: 'line' }]);
    });
    const comment = place(null);
    repository.reviewComments.push(comment);
    issue.updatedAt = now;
    return { status: 201, body: documents.reviewComment(repository, comment) };
  }),
};

function findReview(call: RepositoryCall): Review {
  const { pull } = findPull(call);
  const review = call.repository.reviews.find(
    ({ id, number }) => id === Number(call.params.review_id) && number === pull.number,
  );
  if (review === undefined) throw notFound();
  return review;
}

/** A comment names a line that the pull request shows; GitHub refuses the whole review for any other. */
async function placeComment(
  call: RepositoryCall,
  pull: Pull,
  draft: DraftComment,
): Promise<(reviewId: number | null) => ReviewComment> {
  const file = (await filesOf(call.repository, pull)).find(({ path }) => path === draft.path);
  if (file === undefined) throw unprocessable('Path could not be resolved');
  const side = draft.side ?? 'RIGHT';
  const { line } = draft;
  if (line === undefined || !shownLines(file.patch, side).has(line))
    throw unprocessable('Line could not be resolved');
  const authorId = actor(call).id;
  return (reviewId) => ({
    id: nextId(call.state),
    number: pull.number,
    reviewId,
    authorId,
    path: draft.path,
    line,
    startLine: draft.start_line ?? null,
    side,
    diffHunk: file.patch.split('\n').slice(0, 4).join('\n'),
    commitId: pull.headSha,
    inReplyTo: null,
    body: draft.body,
    createdAt: call.now,
    updatedAt: call.now,
  });
}

/** Reviews report their errors as texts. */
function unprocessable(message: string): Error {
  return invalid([message], 'Unprocessable Entity');
}
