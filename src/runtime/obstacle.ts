/** Something that keeps a run from starting, and how to fix it. */
export interface Obstacle {
  readonly message: string;
  readonly help: string | null;
}

/** The help for a planner that lacks a key or a program. */
export const PLANNER_HELP =
  'fix `planner` in .tnh/config.yaml, or use `planner: { kind: rules }`, which needs no key or program';
