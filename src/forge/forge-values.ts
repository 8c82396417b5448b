/** What a forge stores, in terms that all forges share. Numbers and ids are the forge's own. */

/** Decisions go by `id`: a login can be changed and then taken by another person. */
export interface ForgeUser {
  readonly id: number;
  readonly login: string;
  readonly isBot: boolean;
}

export interface ForgeRepository {
  readonly id: number;
  /** `owner/name` as it is now; another than the one that was asked for if the repository was renamed. */
  readonly fullName: string;
  readonly defaultBranch: string;
  readonly url: string;
  /** The address that git uses, without credentials. */
  readonly gitUrl: string;
}

export interface PullRequest {
  readonly id: number;
  readonly number: number;
  readonly url: string;
  readonly title: string;
  readonly body: string;
  readonly state: 'open' | 'closed' | 'merged';
  readonly isDraft: boolean;
  /** The branch, without the owner. */
  readonly headRef: string;
  readonly headSha: string;
  /** The repository of the branch; null if it was deleted. A fork has another id. */
  readonly headRepositoryId: number | null;
  readonly baseRef: string;
  readonly author: ForgeUser;
  readonly labels: readonly string[];
  readonly mergeSha: string | null;
  /** Null if it is not merged, or if the pull request comes from a list. */
  readonly mergedBy: ForgeUser | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface ForgeIssue {
  readonly id: number;
  readonly number: number;
  readonly url: string;
  readonly title: string;
  readonly body: string;
  readonly state: 'open' | 'closed';
  /** Null if it is open, or if the account is gone. */
  readonly closedBy: ForgeUser | null;
  readonly author: ForgeUser;
  readonly labels: readonly string[];
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface ForgeReview {
  readonly id: number;
  readonly author: ForgeUser;
  readonly state: 'approved' | 'changes_requested' | 'commented' | 'dismissed' | 'pending';
  readonly body: string;
  /** The head that was reviewed; null if it is gone. */
  readonly commit: string | null;
  readonly submittedAt: string | null;
}

export interface ForgeReviewComment {
  readonly id: number;
  /** Null for a comment outside of a review. */
  readonly reviewId: number | null;
  readonly pullNumber: number;
  readonly author: ForgeUser;
  readonly path: string;
  /** In the reviewed version, if the line is no longer part of the change; null for a comment on the file. */
  readonly line: number | null;
  readonly side: 'old' | 'new';
  readonly body: string;
}

export interface ForgeComment {
  readonly id: number;
  /** The issue or pull request. */
  readonly number: number;
  readonly author: ForgeUser;
  readonly body: string;
  readonly createdAt: string;
}

export interface ForgeLabel {
  readonly name: string;
  readonly color: string;
  readonly description: string;
}

/** A label that an account added to or removed from an issue or pull request. */
export interface LabelChange {
  readonly id: number;
  readonly number: number;
  readonly change: 'added' | 'removed';
  readonly label: string;
  readonly actor: ForgeUser | null;
  readonly at: string;
}

/** The last change of title or body after an issue was opened. */
export interface IssueEdit {
  readonly at: string;
  /** Null if the account is gone. */
  readonly by: ForgeUser | null;
}

export interface CommitStatus {
  readonly context: string;
  readonly state: 'pending' | 'success' | 'failure' | 'error';
  readonly description: string;
  readonly url: string | null;
}

/** The state of all statuses and check runs of a commit. */
export interface ForgeChecks {
  readonly state: 'none' | 'pending' | 'success' | 'failure';
  /** Names of those that failed or wait. */
  readonly names: readonly string[];
  readonly url: string | null;
}
