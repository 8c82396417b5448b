/** Something that keeps a run from starting, and the way out. */
export interface Obstacle {
  readonly message: string;
  readonly help: string | null;
}
