import type { ReviewRecord } from '../../contracts/work/work-event.ts';
import type {
  Complexity,
  Priority,
  Revision,
  StackedOn,
  WorkItem,
  WorkStatus,
  WorkType,
} from '../../contracts/work/work-item.ts';
import type { AgentReview } from '../../contracts/work/work-results.ts';

/** Values that are exchanged with a provider of work items, independent of the provider. */

export interface ProviderItem {
  readonly item: WorkItem;
  readonly body: string;
  /** All of its labels, including that of its status. */
  readonly labels: readonly string[];
}

export interface ProviderState {
  readonly items: readonly ProviderItem[];
  readonly revisions: readonly Revision[];
  readonly reviews: readonly ReviewRecord[];
  /** What people ask for at the provider, oldest first, until it is answered. */
  readonly requests: readonly ProviderRequest[];
}

/** What a person asks for at the provider itself, for example with a label set by hand. */
export type ProviderRequest = {
  /** Identifies the act of the person, so that it is carried out once. */
  readonly key: string;
  readonly itemId: string;
  /** The name of the person. */
  readonly by: string;
} & (
  | { readonly kind: 'transition'; readonly to: WorkStatus; readonly reason: string }
  | { readonly kind: 'extend_scope'; readonly path: string; readonly reason: string }
  /** A review of exactly this commit. The provider shows it already. */
  | {
      readonly kind: 'review';
      readonly revisionId: string;
      readonly headSHA: string;
      readonly review: AgentReview;
    }
  /** The revision was merged at the provider. */
  | { readonly kind: 'merge' }
);

export type RequestAnswer =
  | { readonly ok: true }
  | { readonly ok: false; readonly reason: string; readonly help: string | null };

export interface ItemFields {
  readonly title: string;
  readonly body: string;
  readonly type: WorkType;
  readonly priority: Priority;
  readonly complexity: Complexity | null;
  /** Labels besides those of the four categories. */
  readonly otherLabels: readonly string[];
}

export type ProviderWrite =
  /** `ref` names the new item within this write; links may use it. */
  | { readonly kind: 'create_item'; readonly ref: string; readonly at: string; readonly fields: ItemFields }
  /** Blockers are refs of this write or ids. */
  | { readonly kind: 'link_item'; readonly item: string; readonly blockedBy: readonly string[] }
  | { readonly kind: 'update_item'; readonly id: string; readonly fields: Partial<ItemFields> }
  | { readonly kind: 'set_status'; readonly id: string; readonly status: WorkStatus }
  /** Stored where users see it with the item. */
  | { readonly kind: 'keep_summary'; readonly id: string; readonly runId: string; readonly summary: string }
  /** Replaces an existing review of the revision. */
  | { readonly kind: 'post_review'; readonly revisionId: string; readonly review: AgentReview };

export type ProviderWritten =
  | {
      readonly kind: 'item';
      readonly item: WorkItem;
      readonly body: string;
      readonly labels: readonly string[];
    }
  | { readonly kind: 'review'; readonly review: ReviewRecord }
  | { readonly kind: 'nothing' };

export interface RevisionRequest {
  readonly itemId: string;
  readonly title: string;
  /** The commit that the patch applies to. */
  readonly base: string;
  /** The revisions that `base` contains besides the default branch; missing if there are none. */
  readonly stackedOn?: readonly StackedOn[];
  readonly patch: string;
  /** The commit message: what was done, with scope corrections. */
  readonly message: string;
  readonly body: string;
  readonly author: string;
  /** A fixed time, so that the commit is the same on every try. */
  readonly at: string;
}

export type RevisionMade =
  | { readonly ok: true; readonly revision: Revision }
  | { readonly ok: false; readonly reason: string };

export interface MergeRequest {
  readonly itemId: string;
  readonly revisionId: string;
  /** The approved head: if the branch has moved since, nothing is merged. */
  readonly headSHA: string;
  readonly message: string;
  readonly by: string;
  readonly at: string;
}

export type Merged =
  | { readonly ok: true; readonly into: string; readonly commit: string }
  | { readonly ok: false; readonly reason: string; readonly help: string };
