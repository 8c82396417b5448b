/** Results of the checks on base commits, kept so that runs from the same base pay for them once. */
export interface Baselines {
  /** The stored text; null if there is none. */
  readonly find: (key: string) => Promise<string | null>;
  readonly put: (key: string, text: string) => Promise<void>;
}
