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
