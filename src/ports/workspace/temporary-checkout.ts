/** A checkout of the repository's last commit in a temporary folder; empty if the repository has no commits. */
export interface TemporaryCheckout {
  readonly path: string;
  readonly runDir: string;
  /** Creates a folder with its parents. */
  readonly makeFolder: (path: string) => Promise<void>;
  /** Null if the path, relative to the checkout, can't be read. */
  readonly read: (path: string) => Promise<string | null>;
  /** Whether the path, relative to the checkout, exists. */
  readonly exists: (path: string) => Promise<boolean>;
  readonly remove: () => Promise<void>;
}
