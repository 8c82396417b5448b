import type * as values from '../../forge/forge-values.ts';

/**
 * One repository on a forge such as GitHub. Reads are conditional and go to the last page. Writes are sent one at a time;
 * they are not idempotent by themselves: `writeOnce` of `src/forge` makes them so. Everything throws `ForgeError`.
 */
export interface Forge {
  /** For messages: `GitHub`. */
  readonly name: string;
  readonly host: string;
  readonly repository: () => Promise<values.ForgeRepository>;
  /** The account that the token acts as. */
  readonly self: () => Promise<values.ForgeUser>;
  /** Whether a user may write to the repository now. False for a login that belongs to another id today. */
  readonly canWrite: (user: values.ForgeUser) => Promise<boolean>;
  readonly pulls: ForgePulls;
  readonly issues: ForgeIssues;
  readonly labels: ForgeLabels;
  readonly commits: ForgeCommits;
  /** The secret for `git push` with this host. It must reach nothing but that one command. */
  readonly pushSecret: () => Promise<{ readonly user: string; readonly secret: string }>;
}

export interface ForgePulls {
  /** Newest first. `headRef` selects one branch of the repository itself, not of forks. */
  readonly list: (query: {
    readonly state: 'open' | 'all';
    readonly headRef?: string;
  }) => Promise<readonly values.PullRequest[]>;
  readonly get: (number: number) => Promise<values.PullRequest>;
  /** Throws `conflict` if the branch has an open pull request. */
  readonly create: (fields: NewPullRequest) => Promise<values.PullRequest>;
  readonly update: (
    number: number,
    change: { readonly title?: string; readonly body?: string; readonly state?: 'open' | 'closed' },
  ) => Promise<values.PullRequest>;
  /** Merges exactly this head. Throws `conflict` if the head moved or it can't be merged. */
  readonly merge: (
    number: number,
    request: { readonly headSha: string; readonly title: string; readonly message: string },
  ) => Promise<{ readonly commit: string }>;
  /** Oldest first. */
  readonly reviews: (number: number) => Promise<readonly values.ForgeReview[]>;
  readonly reviewComments: (number: number) => Promise<readonly values.ForgeReviewComment[]>;
  readonly review: (
    number: number,
    review: { readonly commit: string; readonly event: ReviewEvent; readonly body: string },
  ) => Promise<values.ForgeReview>;
  readonly updateReview: (number: number, id: number, body: string) => Promise<values.ForgeReview>;
}

export type ReviewEvent = 'approve' | 'request_changes' | 'comment';

export interface NewPullRequest {
  readonly title: string;
  readonly body: string;
  readonly headRef: string;
  readonly baseRef: string;
  readonly isDraft: boolean;
}

export interface ForgeIssues {
  /** Without pull requests, oldest first. `since` selects by the last change. */
  readonly list: (query: {
    readonly state: 'open' | 'all';
    readonly labels?: readonly string[];
    readonly since?: string;
  }) => Promise<readonly values.ForgeIssue[]>;
  /** Throws `not_found` for the number of a pull request. */
  readonly get: (number: number) => Promise<values.ForgeIssue>;
  readonly create: (fields: {
    readonly title: string;
    readonly body: string;
    readonly labels: readonly string[];
  }) => Promise<values.ForgeIssue>;
  readonly update: (
    number: number,
    change: { readonly title?: string; readonly body?: string; readonly state?: 'open' | 'closed' },
  ) => Promise<values.ForgeIssue>;
  /** Adding a label that is there, or removing one that is not, changes nothing. Also for pull requests. */
  readonly addLabels: (number: number, labels: readonly string[]) => Promise<void>;
  readonly removeLabel: (number: number, label: string) => Promise<void>;
  /** Also for pull requests. */
  readonly comments: (number: number) => Promise<readonly values.ForgeComment[]>;
  readonly comment: (number: number, body: string) => Promise<values.ForgeComment>;
  readonly updateComment: (id: number, body: string) => Promise<values.ForgeComment>;
  /** Of one issue, oldest first. */
  readonly labelChanges: (number: number) => Promise<readonly values.LabelChange[]>;
  /** Of all issues, oldest first. */
  readonly allLabelChanges: () => Promise<readonly values.LabelChange[]>;
  /** Null if neither title nor body were changed since it was opened. */
  readonly lastEdit: (number: number) => Promise<values.IssueEdit | null>;
}

export interface ForgeLabels {
  readonly list: () => Promise<readonly values.ForgeLabel[]>;
  readonly create: (label: values.ForgeLabel) => Promise<void>;
}

export interface ForgeCommits {
  /** The head of a branch; null if the branch does not exist. */
  readonly headOf: (branch: string) => Promise<string | null>;
  /** The newest status of each context. */
  readonly statuses: (sha: string) => Promise<readonly values.CommitStatus[]>;
  readonly setStatus: (sha: string, status: values.CommitStatus) => Promise<void>;
  /** Statuses and check runs of other programs; those whose context is in `except` are not counted. */
  readonly checks: (sha: string, except: readonly string[]) => Promise<values.ForgeChecks>;
}
