/** The only source of time. Tests and the simulator pass their own. */
export interface Clock {
  readonly now: () => Date;
  /** Returns early, without an error, if the signal fires. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}
