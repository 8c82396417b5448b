/** Something that keeps a run from starting, and how to fix it. */
export interface Obstacle {
  readonly message: string;
  readonly help: string | null;
}
