import type { TrustedPart } from '../contracts/trust.ts';

/** What the user said yes to, by repository. A repository is named by the path of the git folder that its worktrees share. */
export interface TrustStore {
  /** Oldest first; empty for a repository that was never trusted. */
  readonly find: (gitDir: string) => Promise<readonly TrustedPart[]>;
  /** Other processes may add at the same time; nothing of either is lost. */
  readonly add: (gitDir: string, parts: readonly TrustedPart[]) => Promise<void>;
  /** False if there was nothing to remove. */
  readonly remove: (gitDir: string) => Promise<boolean>;
  /** One list for each repository. */
  readonly list: () => Promise<readonly (readonly TrustedPart[])[]>;
}
