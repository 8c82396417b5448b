/** Sets up the server of a shared engine. */
export interface EngineAdmin {
  /** Brings the database to the version of this program. Any number of processes may call it, at the same time too. */
  readonly migrate: () => Promise<MigrationReport>;
  /** What keeps runs from being recorded safely; empty if nothing does. */
  readonly check: () => Promise<readonly EngineProblem[]>;
  readonly close: () => Promise<void>;
}

export interface MigrationReport {
  /** 0 for a new database. */
  readonly from: number;
  readonly to: number;
}

export interface EngineProblem {
  readonly message: string;
  readonly help: string;
}
