import {
  type DoubleState,
  type Issue,
  issueOf,
  type Pull,
  type Repository,
  type Review,
  type ReviewComment,
  userOf,
} from './state.ts';

/** What a pull request needs from git. */
export interface PullFigures {
  readonly mergeable: boolean | null;
  readonly commits: number;
  readonly additions: number;
  readonly deletions: number;
  readonly files: number;
}

/** What the documents of pull requests take from the others. */
interface CommonDocuments {
  readonly nodeId: (kind: string, id: number) => string;
  readonly time: (ms: number) => string;
  readonly timeOrNull: (ms: number | null) => string | null;
  readonly repoUrl: (repository: Repository) => string;
  readonly webUrl: (repository: Repository) => string;
  readonly association: (repository: Repository, authorId: number) => string;
  readonly simpleUser: (id: number) => object;
  readonly repository: (repository: Repository, viewer: number | null) => object;
  readonly labelsOf: (
    repository: Repository,
    issue: Issue,
  ) => readonly { readonly description: string | null }[];
}

/** Pull requests, reviews and comments on lines. */
export function createPullDocuments(state: DoubleState, common: CommonDocuments) {
  const { nodeId, time, timeOrNull, repoUrl, webUrl, association, simpleUser, repository, labelsOf } = common;

  const side = (found: Repository, ref: string, sha: string) => ({
    label: `${userOf(state, found.ownerId).login}:${ref}`,
    ref,
    sha,
    user: simpleUser(found.ownerId),
    repo: { ...repository(found, null), web_commit_signoff_required: false },
  });

  const simplePull = (found: Repository, pull: Pull) => {
    const one = issueOf(found, pull.number);
    const url = `${repoUrl(found)}/pulls/${pull.number}`;
    const issueUrl = `${repoUrl(found)}/issues/${pull.number}`;
    const html = `${webUrl(found)}/pull/${pull.number}`;
    const links = {
      self: { href: url },
      html: { href: html },
      issue: { href: issueUrl },
      comments: { href: `${issueUrl}/comments` },
      review_comments: { href: `${url}/comments` },
      review_comment: { href: `${repoUrl(found)}/pulls/comments{/number}` },
      commits: { href: `${url}/commits` },
      statuses: { href: `${repoUrl(found)}/statuses/${pull.headSha}` },
    };
    return {
      url,
      id: pull.id,
      node_id: nodeId('PullRequest', pull.id),
      html_url: html,
      diff_url: `${html}.diff`,
      patch_url: `${html}.patch`,
      issue_url: issueUrl,
      commits_url: links.commits.href,
      review_comments_url: links.review_comments.href,
      review_comment_url: links.review_comment.href,
      comments_url: links.comments.href,
      statuses_url: links.statuses.href,
      number: pull.number,
      state: one.state,
      locked: false,
      active_lock_reason: null,
      title: one.title,
      user: simpleUser(one.authorId),
      body: one.body,
      labels: labelsOf(found, one).map((each) => ({ ...each, description: each.description ?? '' })),
      milestone: null,
      created_at: time(one.createdAt),
      updated_at: time(one.updatedAt),
      closed_at: timeOrNull(one.closedAt),
      merged_at: timeOrNull(pull.mergedAt),
      merge_commit_sha: pull.mergeSha,
      assignee: null,
      assignees: [],
      requested_reviewers: [],
      requested_teams: [],
      head: side(found, pull.headRef, pull.headSha),
      base: side(found, pull.baseRef, pull.baseSha),
      _links: links,
      author_association: association(found, one.authorId),
      auto_merge: null,
      draft: pull.isDraft,
    };
  };

  const pull = (found: Repository, one: Pull, figures: PullFigures) => ({
    ...simplePull(found, one),
    merged: one.mergedAt !== null,
    mergeable: figures.mergeable,
    rebaseable: figures.mergeable,
    mergeable_state:
      figures.mergeable === null ? 'unknown' : !figures.mergeable ? 'dirty' : one.isDraft ? 'draft' : 'clean',
    merged_by: one.mergedById === null ? null : simpleUser(one.mergedById),
    comments: found.comments.filter(({ number }) => number === one.number).length,
    review_comments: found.reviewComments.filter(({ number }) => number === one.number).length,
    maintainer_can_modify: false,
    commits: figures.commits,
    additions: figures.additions,
    deletions: figures.deletions,
    changed_files: figures.files,
  });

  const review = (found: Repository, one: Review) => {
    const html = `${webUrl(found)}/pull/${one.number}#pullrequestreview-${one.id}`;
    const pullUrl = `${repoUrl(found)}/pulls/${one.number}`;
    return {
      id: one.id,
      node_id: nodeId('PullRequestReview', one.id),
      user: simpleUser(one.authorId),
      body: one.body,
      state: one.state,
      html_url: html,
      pull_request_url: pullUrl,
      author_association: association(found, one.authorId),
      _links: { html: { href: html }, pull_request: { href: pullUrl } },
      ...(one.submittedAt === null ? {} : { submitted_at: time(one.submittedAt) }),
      commit_id: one.commitId,
    };
  };

  const reviewComment = (found: Repository, one: ReviewComment) => {
    const url = `${repoUrl(found)}/pulls/comments/${one.id}`;
    const html = `${webUrl(found)}/pull/${one.number}#discussion_r${one.id}`;
    const pullUrl = `${repoUrl(found)}/pulls/${one.number}`;
    return {
      url,
      id: one.id,
      node_id: nodeId('PullRequestReviewComment', one.id),
      pull_request_review_id: one.reviewId,
      diff_hunk: one.diffHunk,
      path: one.path,
      position: 1,
      original_position: 1,
      commit_id: one.commitId,
      original_commit_id: one.commitId,
      user: simpleUser(one.authorId),
      body: one.body,
      created_at: time(one.createdAt),
      updated_at: time(one.updatedAt),
      html_url: html,
      pull_request_url: pullUrl,
      author_association: association(found, one.authorId),
      _links: { self: { href: url }, html: { href: html }, pull_request: { href: pullUrl } },
      ...(one.inReplyTo === null ? {} : { in_reply_to_id: one.inReplyTo }),
      start_line: one.startLine,
      line: one.line,
      original_line: one.line,
      side: one.side,
      start_side: one.startLine === null ? null : one.side,
    };
  };

  return { simplePull, pull, review, reviewComment };
}
