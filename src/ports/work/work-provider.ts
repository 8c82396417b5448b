import type { LabelDefinition } from '../../work/items/labels.ts';
import type * as values from '../../work/items/provider-values.ts';

/**
 * Stores items, revisions and reviews where users see them: a local database or a forge. It makes no decisions. Writes
 * are idempotent: a write with a known key changes nothing and returns the earlier result.
 */
export interface WorkProvider {
  /** The current state. */
  readonly read: () => Promise<ProviderState>;
  /** Applies all writes in order or none of them, in one transaction if the provider supports it. */
  readonly write: (key: string, writes: readonly ProviderWrite[]) => Promise<readonly ProviderWritten[]>;
  /** Commits a patch on the item's branch and creates its revision, which replaces an earlier one of the item. */
  readonly makeRevision: (key: string, request: RevisionRequest) => Promise<RevisionResult>;
  /** Merges the revision into the default branch. Changes nothing if it can't. */
  readonly merge: (key: string, request: MergeRequest) => Promise<MergeResult>;
  /** Runs pending checks of revisions, which a forge does on its own. */
  readonly settle: (signal: AbortSignal) => Promise<void>;
  /** Creates missing labels and changes no others. Returns the created ones. */
  readonly setUpLabels: (labels: readonly LabelDefinition[]) => Promise<readonly string[]>;
  /**
   * Answers a request of `read` with what became of it. The provider shows a refusal and restores what the person
   * changed. A key without an open request changes nothing.
   */
  readonly answer: (key: string, answer: RequestAnswer) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Defined beside the pure code that creates and reads them. */
export type ProviderItem = values.ProviderItem;
export type ProviderState = values.ProviderState;
export type ProviderRequest = values.ProviderRequest;
export type RequestAnswer = values.RequestAnswer;
export type ItemFields = values.ItemFields;
export type ProviderWrite = values.ProviderWrite;
export type ProviderWritten = values.ProviderWritten;
export type RevisionRequest = values.RevisionRequest;
export type RevisionResult = values.RevisionMade;
export type MergeRequest = values.MergeRequest;
export type MergeResult = values.Merged;
