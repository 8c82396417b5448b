/** The only source of time. Tests and the simulator pass their own. */
export interface Clock {
  readonly now: () => Date;
}
