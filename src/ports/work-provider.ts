import type { ReviewRecord } from '../contracts/work-event.ts';
import type {
  Complexity,
  Priority,
  Revision,
  WorkItem,
  WorkStatus,
  WorkType,
} from '../contracts/work-item.ts';
import type { AgentReview } from '../contracts/work-results.ts';

/**
 * Where items, revisions and reviews are kept for people to see: a local database, a forge. It decides nothing. Every
 * write carries a key, and a write whose key was seen before changes nothing and returns what it returned then.
 */
export interface WorkProvider {
  /** All there is now. */
  readonly read: () => Promise<ProviderState>;
  /** All of it or nothing, in this order, in one transaction where the provider has them. */
  readonly write: (key: string, writes: readonly ProviderWrite[]) => Promise<readonly ProviderWritten[]>;
  /** A commit made from a patch on the item's branch, and the revision that shows it. One per item: a later one replaces it. */
  readonly makeRevision: (key: string, request: RevisionRequest) => Promise<RevisionMade>;
  /** Brings the revision into the default branch. Changes nothing where it can't. */
  readonly merge: (key: string, request: MergeRequest) => Promise<Merged>;
  /** Does what a forge does by itself: has the checks of revisions run that still wait for them. */
  readonly settle: (signal: AbortSignal) => Promise<void>;
  /** Makes sure that the labels exist, and touches no other. Returns those that were made. */
  readonly setUpLabels: (labels: readonly LabelDefinition[]) => Promise<readonly string[]>;
  readonly close: () => Promise<void>;
}

export interface ProviderItem {
  readonly item: WorkItem;
  readonly body: string;
  /** All of its labels, that of its status included. */
  readonly labels: readonly string[];
}

export interface ProviderState {
  readonly items: readonly ProviderItem[];
  readonly revisions: readonly Revision[];
  readonly reviews: readonly ReviewRecord[];
}

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
  /** Kept where people look at the item. */
  | { readonly kind: 'keep_summary'; readonly id: string; readonly runId: string; readonly summary: string }
  /** Replaces the review of the revision where there is one. */
  | { readonly kind: 'post_review'; readonly revisionId: string; readonly review: AgentReview };

export type ProviderWritten =
  /** As it is after the write, for every write about an item but `keep_summary`. */
  | ({ readonly kind: 'item' } & ProviderItem)
  | { readonly kind: 'review'; readonly review: ReviewRecord }
  | { readonly kind: 'nothing' };

export interface RevisionRequest {
  readonly itemId: string;
  readonly title: string;
  /** The commit that the patch applies to. */
  readonly base: string;
  readonly patch: string;
  /** Of the commit: what was done, with scope corrections. */
  readonly message: string;
  readonly body: string;
  readonly author: string;
  /** Makes the commit the same whenever it is made. */
  readonly at: string;
}

export type RevisionMade =
  | { readonly ok: true; readonly revision: Revision }
  | { readonly ok: false; readonly reason: string };

export interface MergeRequest {
  readonly itemId: string;
  readonly revisionId: string;
  /** What was approved: where the branch has moved since, nothing is merged. */
  readonly headSHA: string;
  readonly message: string;
  readonly by: string;
  readonly at: string;
}

export type Merged =
  | { readonly ok: true; readonly into: string; readonly commit: string }
  | { readonly ok: false; readonly reason: string; readonly help: string };

export interface LabelDefinition {
  readonly name: string;
  readonly description: string;
  readonly color: string;
}
