/** Until when nothing is to be had on a credential, and why. */
export interface CredentialWait {
  /** ISO 8601. */
  readonly until: string;
  readonly reason: string;
}

/**
 * What runs tell each other about limits of the accounts they share. A hint, not a record: what can't be kept or read
 * only costs one more failed start.
 */
export interface CredentialWaits {
  /** Null where nothing is known. The name says which account it is and never holds a secret. */
  readonly find: (credential: string) => Promise<CredentialWait | null>;
  readonly put: (credential: string, wait: CredentialWait) => Promise<void>;
}
