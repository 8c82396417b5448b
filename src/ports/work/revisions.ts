import type { WorkspaceDiff } from '../../contracts/run/workspace-change.ts';
import type { StackedOn } from '../../contracts/work/work-item.ts';
import type { MergeRequest, MergeResult, RevisionRequest } from './work-provider.ts';

/** Work items as branches of a repository. Only a merge writes to a user's checkout. */
export interface Revisions {
  /** The branch that work is merged into, and its head; null if the repository does not define it. */
  readonly defaultBranch: () => Promise<DefaultBranch | null>;
  /**
   * Commits a patch and moves the item's branch to the commit; the old head is kept. Idempotent: the same request
   * always leads to the same commit.
   */
  readonly make: (
    request: Omit<RevisionRequest, 'title' | 'body'>,
    signal?: AbortSignal,
  ) => Promise<CommitResult>;
  /** Merges an item's branch into the default branch, or returns why it can't. Idempotent. */
  readonly merge: (request: Omit<MergeRequest, 'revisionId'>) => Promise<MergeResult>;
  /** Checks out a commit in its own workspace, outside the user's repository. Returns the path of the checkout. */
  readonly checkOut: (request: CheckoutRequest, signal: AbortSignal) => Promise<string>;
  /** Removes such a checkout, including one left by a killed process. */
  readonly removeCheckout: (name: string) => Promise<void>;
}

export interface DefaultBranch {
  /** Without `refs/heads/`. */
  readonly name: string;
  readonly commit: string;
}

export type CommitResult =
  | { readonly ok: true; readonly headRef: string; readonly headSHA: string }
  | { readonly ok: false; readonly reason: string };

export interface CheckoutRequest {
  /** Names the checkout; an existing one of the same name is replaced. */
  readonly name: string;
  readonly commit: string;
  /** Target of `.tnh/run/checks-<name>/harness` in the checkout. */
  readonly harnessDir: string;
}

/** Reads revisions of work items from the repository. */
export interface RevisionReader {
  /** The branch that revisions are merged into; null if there is none yet. */
  readonly defaultBranch: () => Promise<string | null>;
  /** The merge base of a commit and the default branch; null if they have no common history. */
  readonly baseOf: (commit: string) => Promise<string | null>;
  /** The change between two commits, as a patch that can be applied. */
  readonly patch: (from: string, to: string) => Promise<string>;
  readonly files: (from: string, to: string) => Promise<WorkspaceDiff>;
  /** Merges revisions into a base, in this order, without a checkout. The same input gives the same commit. */
  readonly mergeStack: (base: string, stack: readonly StackedOn[]) => Promise<StackResult>;
}

export type StackResult =
  | { readonly ok: true; readonly commit: string }
  | {
      readonly ok: false;
      /** The two items that conflict; one, if it conflicts with the base. */
      readonly items: readonly string[];
      readonly files: readonly string[];
    };
