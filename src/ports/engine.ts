import type { RunEvent } from '../contracts/run/event.ts';
import type { Driver } from '../contracts/run/run-lease.ts';
import type { NewRun, RunStore } from './run-store.ts';

/**
 * Keeps runs: their logs, files, inboxes and timers, and who drives them. The embedded engine keeps them in run
 * directories; other engines keep them on a server and hand a run to one of many workers. `testing/engine-conformance.ts`
 * states what every engine guarantees.
 *
 * The unit that moves between processes is the right to drive a run. Each `create`, `drive` or `claim` that succeeds
 * raises the run's fence: an append of an earlier driver, or one that does not continue the log where that driver left
 * it, throws and writes nothing.
 */
export interface Engine extends RunStore {
  /** `embedded`: the process that starts a run drives it. `shared`: `submit` hands it to a worker. */
  readonly kind: 'embedded' | 'shared';
  /** Hands a run to the workers. When this returns, the run is queued durably and `claim` finds it. */
  readonly submit: (submission: Submission) => Promise<void>;
  /**
   * Takes the right to drive a queued run that is due and whose needs these labels cover; null if there is none. A run
   * is due when it is submitted, when its driver's lease has run out, when the time given to `release` has come, or when
   * a message has arrived in its inbox since. A worker calls this once for each free slot.
   */
  readonly claim: (labels: readonly string[]) => Promise<Claim | null>;
  /** The queued runs, oldest first, and why each one waits. */
  readonly queue: () => Promise<readonly QueuedRun[]>;
  /** Removes a queued run that has not started. False if it has, or if it is not queued. */
  readonly withdraw: (runId: string) => Promise<boolean>;
  /** Makes a worker known to other processes until it leaves or its process ends. */
  readonly join: (worker: WorkerReport) => Promise<Membership>;
  /** The workers that are known now, by name. */
  readonly workers: () => Promise<readonly KnownWorker[]>;
  /**
   * The events from this sequence number on, in order and each exactly once, as they are recorded. Waits for a run that
   * has not started. Ends when the signal fires, and after the last event of a run that has ended and that no process
   * drives. After a lost connection, a call with the next number continues.
   */
  readonly tail: (runId: string, request: TailRequest) => AsyncIterable<readonly RunEvent[]>;
  /** Makes all files of a run readable below `directory.path`. */
  readonly fetch: (runId: string) => Promise<void>;
  readonly close: () => Promise<void>;
}

export interface Submission {
  readonly runId: string;
  /** As for `create`. */
  readonly artifactsDir: string | null;
  /** Labels such as `agent=claude-code`: a worker takes the run only if it has all of them. */
  readonly needs: readonly string[];
  /** What the worker starts, as JSON that the engine does not interpret. */
  readonly request: string;
}

export interface Claim {
  /** Its `events` are empty if the run has not started; then `request` says what to start. */
  readonly run: NewRun;
  readonly request: string;
}

export interface QueuedRun {
  readonly runId: string;
  readonly needs: readonly string[];
  /** When it is due; null if only a message makes it due. */
  readonly dueAt: string | null;
  readonly driver: Driver | null;
}

/** What a worker reports about itself. */
export interface WorkerReport {
  readonly name: string;
  readonly labels: readonly string[];
  /** How many runs it drives at the same time. */
  readonly slots: number;
  /** Runs that it has taken and could not drive. */
  readonly problems: readonly WorkerProblem[];
}

export interface WorkerProblem {
  readonly runId: string;
  readonly message: string;
  /** When the run is due again, ISO 8601. */
  readonly retryAt: string;
}

export interface KnownWorker extends WorkerReport {
  readonly pid: number;
  readonly host: string;
}

/** A worker's entry in the list of workers. The worker renews it every few seconds by reporting again. */
export interface Membership {
  readonly report: (worker: WorkerReport) => Promise<void>;
  readonly leave: () => Promise<void>;
}

export interface TailRequest {
  readonly from: number;
  readonly signal: AbortSignal;
}
