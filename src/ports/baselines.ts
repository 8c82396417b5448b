/** Stores check results of base commits, so that runs from the same base compute them once. */
export interface Baselines {
  /** The stored text; null if there is none. */
  readonly find: (key: string) => Promise<string | null>;
  readonly put: (key: string, text: string) => Promise<void>;
}
