import type { Merged, MergeRequest, RevisionRequest } from './work-provider.ts';

/** Work items as branches of a repository. The checkouts of people are written by a merge alone. */
export interface Revisions {
  /** The branch that work is merged into, and its head; null where the repository does not say which it is. */
  readonly defaultBranch: () => Promise<DefaultBranch | null>;
  /**
   * Makes the commit of a patch and puts the item's branch on it; the head that was there is kept. The same request leads
   * to the same commit, whenever and however often it is made.
   */
  readonly make: (
    request: Omit<RevisionRequest, 'title' | 'body'>,
    signal?: AbortSignal,
  ) => Promise<CommitMade>;
  /** Brings an item's branch into the default branch, or says why not. Repeated, it gives the same answer. */
  readonly merge: (request: Omit<MergeRequest, 'revisionId'>) => Promise<Merged>;
  /** Puts the files of a commit into a worktree of its own. What is there is replaced: it is nobody's. */
  readonly checkOut: (request: CheckoutRequest, signal: AbortSignal) => Promise<void>;
  /** Takes such a worktree away, also one that a killed process left. */
  readonly removeCheckout: (path: string) => Promise<void>;
}

export interface DefaultBranch {
  /** Without `refs/heads/`. */
  readonly name: string;
  readonly commit: string;
}

export type CommitMade =
  | { readonly ok: true; readonly headRef: string; readonly headSHA: string }
  | { readonly ok: false; readonly reason: string };

export interface CheckoutRequest {
  readonly path: string;
  readonly commit: string;
  readonly runId: string;
  /** What `.tnh/run/<run>/harness` of the worktree leads to. */
  readonly harnessDir: string;
}
