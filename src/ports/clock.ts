/** The only source of time. Tests and the simulator pass their own. */
export interface Clock {
  readonly now: () => Date;
  /** Returns early, and without complaint, when the signal fires. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}
