import type { Revision } from '../contracts/work-item.ts';
import type { LabelDefinition } from '../work/labels.ts';
import type * as values from '../work/provider-values.ts';

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

/** These stand with the pure code that makes and reads them. */
export type ProviderItem = values.ProviderItem;
export type ProviderState = values.ProviderState;
export type ItemFields = values.ItemFields;
export type ProviderWrite = values.ProviderWrite;
export type ProviderWritten = values.ProviderWritten;
export type RevisionRequest = values.RevisionRequest;

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
