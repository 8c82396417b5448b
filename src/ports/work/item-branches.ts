import type { MergeResult } from './work-provider.ts';

/** Branches of items on the remote that a forge serves, with git itself. */
export interface ItemBranches {
  /** The name of the branch that pull requests are merged into; null if the repository defines none. */
  readonly baseBranch: () => Promise<string | null>;
  /**
   * Pushes a commit to a branch of the remote. `lease` is the commit that the branch is expected at, null if it must not
   * exist. Pushing what is there already changes nothing.
   */
  readonly push: (request: {
    readonly branch: string;
    readonly commit: string;
    readonly lease: string | null;
  }) => Promise<void>;
  /**
   * Moves the local default branch forward to that of the remote, with the files of a checkout. `upTo` is a commit that is
   * about to be merged there: local commits that it contains don't count as diverged.
   */
  readonly followRemote: (upTo: string) => Promise<MergeResult>;
}
