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
  /** Checks a commit out in a workspace of its own, outside the user's repository. Returns the path of the checkout. */
  readonly checkOut: (request: CheckoutRequest, signal: AbortSignal) => Promise<string>;
  /** Removes such a checkout, also one that a killed process left. */
  readonly removeCheckout: (name: string) => Promise<void>;
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
  /** Names the checkout; one that exists under this name is replaced. */
  readonly name: string;
  readonly commit: string;
  /** What `.tnh/run/checks-<name>/harness` of the checkout leads to. */
  readonly harnessDir: string;
}
