/** The server of a shared engine: its set-up, and what its workers and queues do. */
export interface EngineAdmin {
  /** Brings the database to the version of this program. Any number of processes may call it, at the same time too. */
  readonly migrate: () => Promise<MigrationReport>;
  /** What keeps runs from being recorded safely; empty if nothing does. */
  readonly check: () => Promise<readonly EngineProblem[]>;
  readonly status: () => Promise<EngineStatus>;
  /** Records that a worker is alive. A worker calls this when it starts, and again within `WORKER_SEEN_MS`. */
  readonly announce: (worker: WorkerAnnouncement) => Promise<void>;
  /** Forgets a worker that ends. */
  readonly retire: (name: string) => Promise<void>;
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

export interface WorkerAnnouncement {
  readonly name: string;
  readonly labels: readonly string[];
  readonly slots: number;
}

export interface EngineStatus {
  readonly workers: readonly WorkerStatus[];
  /** The queued runs of the repository, oldest first. */
  readonly runs: readonly WaitingRun[];
}

export interface WorkerStatus extends WorkerAnnouncement {
  readonly host: string;
  readonly pid: number;
  /** ISO 8601. */
  readonly seenAt: string;
  readonly isAlive: boolean;
  /** How many runs it drives. */
  readonly driving: number;
}

export interface WaitingRun {
  readonly runId: string;
  readonly needs: readonly string[];
  readonly reason: WaitReason;
}

/** Why a queued run waits, as far as the engine can tell. */
export type WaitReason =
  | { readonly kind: 'driven'; readonly worker: string | null; readonly host: string; readonly pid: number }
  /** Until this time, unless a message comes earlier. */
  | { readonly kind: 'until'; readonly time: string }
  | { readonly kind: 'message' }
  /** A worker will take it with its next look at the queue. `abandoned`: its last driver died. */
  | { readonly kind: 'due' | 'abandoned' }
  /** No living worker has all labels; `missing` are those that the closest worker lacks. */
  | { readonly kind: 'no_worker'; readonly missing: readonly string[] }
  /** All slots of the workers that could drive it are taken. */
  | { readonly kind: 'no_slot' };
