import * as z from 'zod/mini';
import type * as values from '../../forge/forge-values.ts';

/** What conductor reads of GitHub's documents, and what it becomes. Everything else in them is ignored. */

const userSchema = z.object({ id: z.number(), login: z.string(), type: z.optional(z.string()) });
/** Deleted accounts are null; GitHub shows them as the user `ghost`. */
const GHOST = { id: 10_137, login: 'ghost', type: 'User' };

export const userDocument = z.pipe(z.nullable(userSchema), z.transform(userOf));

function userOf(document: z.infer<typeof userSchema> | null): values.ForgeUser {
  const { id, login, type } = document ?? GHOST;
  return { id, login, isBot: type !== undefined && type !== 'User' };
}

export const repositoryDocument = z.pipe(
  z.object({
    id: z.number(),
    full_name: z.string(),
    default_branch: z.string(),
    html_url: z.string(),
    clone_url: z.string(),
  }),
  z.transform(
    (found): values.ForgeRepository => ({
      id: found.id,
      fullName: found.full_name,
      defaultBranch: found.default_branch,
      url: found.html_url,
      gitUrl: found.clone_url,
    }),
  ),
);

export const permissionDocument = z.object({ permission: z.string(), user: z.nullable(userSchema) });

const labelSchema = z.union([z.string(), z.object({ name: z.optional(z.string()) })]);
type LabelDocument = z.infer<typeof labelSchema>;

function labelNames(labels: readonly LabelDocument[]): readonly string[] {
  return labels.flatMap((label) => (typeof label === 'string' ? label : (label.name ?? [])));
}

export const pullDocument = z.pipe(
  z.object({
    id: z.number(),
    number: z.number(),
    html_url: z.string(),
    title: z.string(),
    body: z.nullable(z.string()),
    state: z.string(),
    draft: z.optional(z.boolean()),
    merged_at: z.nullable(z.string()),
    merge_commit_sha: z.nullable(z.string()),
    merged_by: z.optional(z.nullable(userSchema)),
    head: z.object({
      ref: z.string(),
      sha: z.string(),
      repo: z.nullable(z.object({ id: z.number() })),
    }),
    base: z.object({ ref: z.string() }),
    user: z.nullable(userSchema),
    labels: z.array(labelSchema),
    created_at: z.string(),
    updated_at: z.string(),
  }),
  z.transform(
    (found): values.PullRequest => ({
      id: found.id,
      number: found.number,
      url: found.html_url,
      title: found.title,
      body: found.body ?? '',
      state: found.merged_at !== null ? 'merged' : found.state === 'open' ? 'open' : 'closed',
      isDraft: found.draft === true,
      headRef: found.head.ref,
      headSha: found.head.sha,
      headRepositoryId: found.head.repo?.id ?? null,
      baseRef: found.base.ref,
      author: userOf(found.user),
      labels: labelNames(found.labels),
      mergeSha: found.merged_at === null ? null : found.merge_commit_sha,
      mergedBy: found.merged_by == null ? null : userOf(found.merged_by),
      createdAt: found.created_at,
      updatedAt: found.updated_at,
    }),
  ),
);

export const issueSchema = z.object({
  id: z.number(),
  number: z.number(),
  html_url: z.string(),
  title: z.string(),
  body: z.optional(z.nullable(z.string())),
  state: z.string(),
  user: z.nullable(userSchema),
  closed_by: z.optional(z.nullable(userSchema)),
  labels: z.array(labelSchema),
  created_at: z.string(),
  updated_at: z.string(),
  pull_request: z.optional(z.unknown()),
});

export function issueOf(found: z.infer<typeof issueSchema>): values.ForgeIssue {
  return {
    id: found.id,
    number: found.number,
    url: found.html_url,
    title: found.title,
    body: found.body ?? '',
    state: found.state === 'open' ? 'open' : 'closed',
    closedBy: found.closed_by == null ? null : userOf(found.closed_by),
    author: userOf(found.user),
    labels: labelNames(found.labels),
    createdAt: found.created_at,
    updatedAt: found.updated_at,
  };
}

export const issueDocument = z.pipe(issueSchema, z.transform(issueOf));

const REVIEW_STATES: Readonly<Record<string, values.ForgeReview['state']>> = {
  APPROVED: 'approved',
  CHANGES_REQUESTED: 'changes_requested',
  COMMENTED: 'commented',
  DISMISSED: 'dismissed',
  PENDING: 'pending',
};

export const reviewDocument = z.pipe(
  z.object({
    id: z.number(),
    user: z.nullable(userSchema),
    state: z.string(),
    body: z.optional(z.nullable(z.string())),
    commit_id: z.nullable(z.string()),
    submitted_at: z.optional(z.string()),
  }),
  z.transform(
    (found): values.ForgeReview => ({
      id: found.id,
      author: userOf(found.user),
      // A state that GitHub adds later must not count as an answer.
      state: REVIEW_STATES[found.state] ?? 'commented',
      body: found.body ?? '',
      commit: found.commit_id,
      submittedAt: found.submitted_at ?? null,
    }),
  ),
);

export const reviewCommentDocument = z.pipe(
  z.object({
    id: z.number(),
    pull_request_review_id: z.nullable(z.number()),
    pull_request_url: z.string(),
    user: z.nullable(userSchema),
    path: z.string(),
    line: z.optional(z.nullable(z.number())),
    original_line: z.optional(z.nullable(z.number())),
    side: z.optional(z.string()),
    body: z.string(),
  }),
  z.transform(
    (found): values.ForgeReviewComment => ({
      id: found.id,
      reviewId: found.pull_request_review_id,
      pullNumber: numberAtEnd(found.pull_request_url),
      author: userOf(found.user),
      path: found.path,
      line: found.line ?? found.original_line ?? null,
      side: found.side === 'LEFT' ? 'old' : 'new',
      body: found.body,
    }),
  ),
);

export const commentDocument = z.pipe(
  z.object({
    id: z.number(),
    issue_url: z.string(),
    user: z.nullable(userSchema),
    body: z.optional(z.string()),
    created_at: z.string(),
  }),
  z.transform(
    (found): values.ForgeComment => ({
      id: found.id,
      number: numberAtEnd(found.issue_url),
      author: userOf(found.user),
      body: found.body ?? '',
      createdAt: found.created_at,
    }),
  ),
);

export const eventSchema = z.object({
  id: z.number(),
  event: z.string(),
  actor: z.nullable(userSchema),
  created_at: z.string(),
  label: z.optional(z.object({ name: z.nullable(z.string()) })),
  issue: z.optional(z.nullable(z.object({ number: z.number() }))),
});

/** Null for events that are not about labels. `number` is for events of one issue, which don't name it. */
export function labelChangeOf(
  found: z.infer<typeof eventSchema>,
  number: number | null,
): values.LabelChange | null {
  const { event, label } = found;
  const of = number ?? found.issue?.number;
  if ((event !== 'labeled' && event !== 'unlabeled') || label?.name == null || of === undefined) return null;
  return {
    id: found.id,
    number: of,
    change: event === 'labeled' ? 'added' : 'removed',
    label: label.name,
    actor: found.actor === null ? null : userOf(found.actor),
    at: found.created_at,
  };
}

export const labelDocument = z.pipe(
  z.object({ name: z.string(), color: z.string(), description: z.nullable(z.string()) }),
  z.transform(
    ({ name, color, description }): values.ForgeLabel => ({
      name,
      color,
      description: description ?? '',
    }),
  ),
);

export const statusDocument = z.pipe(
  z.object({
    context: z.string(),
    state: z.string(),
    description: z.nullable(z.string()),
    target_url: z.nullable(z.string()),
  }),
  z.transform(
    (found): values.CommitStatus => ({
      context: found.context,
      state:
        found.state === 'success' || found.state === 'failure' || found.state === 'error'
          ? found.state
          : 'pending',
      description: found.description ?? '',
      url: found.target_url,
    }),
  ),
);

export const checkRunSchema = z.object({
  name: z.string(),
  status: z.string(),
  conclusion: z.nullable(z.string()),
  html_url: z.nullable(z.string()),
});

const actorSchema = z.nullable(
  z.object({ __typename: z.string(), login: z.string(), databaseId: z.optional(z.number()) }),
);

export const lastEditDocument = z.object({
  data: z.object({
    repository: z.object({
      issue: z.object({
        lastEditedAt: z.nullable(z.string()),
        editor: actorSchema,
        timelineItems: z.object({
          nodes: z.array(z.object({ createdAt: z.string(), actor: actorSchema })),
        }),
      }),
    }),
  }),
});

/** GraphQL names the type of an account and leaves `[bot]` out of its login. */
export function actorOf(actor: z.infer<typeof actorSchema>): values.ForgeUser | null {
  if (actor?.databaseId === undefined) return null;
  return { id: actor.databaseId, login: actor.login, isBot: actor.__typename !== 'User' };
}

function numberAtEnd(url: string): number {
  return Number(url.slice(url.lastIndexOf('/') + 1));
}
