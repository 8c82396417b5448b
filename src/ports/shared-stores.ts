import type { TrustedPart } from '../contracts/config/trust.ts';

/** State of a user that outlives runs and is shared by them. */

/** Stores check results of base commits, so that runs from the same base compute them once. */
export interface Baselines {
  /** The stored text; null if there is none. */
  readonly find: (key: string) => Promise<string | null>;
  readonly put: (key: string, text: string) => Promise<void>;
}

/** Until when a credential is unusable (for example rate-limited), and why. */
export interface CredentialWait {
  /** ISO 8601. */
  readonly until: string;
  readonly reason: string;
}

/**
 * Shares account limits between runs that use the same credential. Only a hint: a value that can't be stored or read
 * costs one more failed start.
 */
export interface CredentialWaits {
  /** Null if no wait is known. `credential` names the account and never contains a secret. */
  readonly find: (credential: string) => Promise<CredentialWait | null>;
  readonly put: (credential: string, wait: CredentialWait) => Promise<void>;
}

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
