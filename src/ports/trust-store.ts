import type { TrustedPart } from '../contracts/config/trust.ts';

/** The parts that the user trusts, by repository. The key is the path of the git folder that its worktrees share. */
export interface TrustStore {
  /** Oldest first; empty for a repository that was never trusted. */
  readonly find: (gitDir: string) => Promise<readonly TrustedPart[]>;
  /** Safe if other processes add at the same time. */
  readonly add: (gitDir: string, parts: readonly TrustedPart[]) => Promise<void>;
  /** False if there was nothing to remove. */
  readonly remove: (gitDir: string) => Promise<boolean>;
  /** One list for each repository. */
  readonly list: () => Promise<readonly (readonly TrustedPart[])[]>;
}
