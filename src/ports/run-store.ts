import type { EventDraft, RunEvent } from '../contracts/run/event.ts';
import type { PostResult, PostTerms } from '../contracts/run/post-terms.ts';
import type { Status } from '../contracts/run/run-files.ts';
import type { Driver } from '../contracts/run/run-lease.ts';

/** The run directories of one repository. */
export interface RunStore {
  /** The absolute path for a run of this id. Creates nothing. */
  readonly locate: (runId: string, artifactsDir: string | null) => string;
  /** Creates the directory of a new run and takes its lock. */
  readonly create: (runId: string, artifactsDir: string | null) => Promise<NewRun>;
  /** Takes the lock of a recorded run, unless another process holds it. */
  readonly drive: (runId: string) => Promise<DriveResult>;
  /** Reads a run without taking its lock. */
  readonly read: (runId: string) => Promise<ReadResult>;
  /** All run ids that start with the given text. */
  readonly match: (prefix: string) => Promise<readonly string[]>;
  /** Recent runs whose last driver was killed and that no process drives since, newest first. */
  readonly listAbandoned: () => Promise<readonly string[]>;
  /** Newest first; by default all runs. */
  readonly list: (runIds?: readonly string[]) => Promise<readonly RunListing[]>;
}

export interface RunListing {
  readonly runId: string;
  readonly path: string;
  /** Null if status.json can't be read. */
  readonly status: Status | null;
  /** The process that drives the run now, or null. */
  readonly driver: Driver | null;
}

export type DriveResult =
  | { readonly ok: true; readonly run: DrivenRun }
  | { readonly ok: false; readonly problem: DriveProblem };

export type DriveProblem = { readonly kind: 'driven'; readonly driver: Driver } | RecordProblem;

export type RecordProblem =
  | { readonly kind: 'missing' }
  | { readonly kind: 'corrupt'; readonly line: number; readonly message: string };

export type ReadResult =
  | { readonly ok: true; readonly run: RunRecord }
  | { readonly ok: false; readonly problem: RecordProblem };

export interface RunRecord {
  readonly directory: RunDirectory;
  readonly inbox: Inbox;
  readonly events: readonly RunEvent[];
  /** The process that drives the run now, or null. */
  readonly driver: Driver | null;
}

/** Write access to a run: only the process that holds the lease has it. */
export interface DrivenRun {
  readonly lease: RunLease;
  /** Writes throw `LeaseLost` once the lease is lost. */
  readonly directory: RunDirectory;
  readonly inbox: Inbox;
  readonly events: readonly RunEvent[];
  /**
   * Returns once the events are on disk, or with `later` once they are written. Writes nothing if the lease is lost, or
   * if the log doesn't end where this process left it.
   */
  readonly append: (drafts: readonly EventDraft[], flush?: Flush) => Promise<readonly RunEvent[]>;
  /** Gives up the right to drive. `wake` says when a queued run is due again; by default, at once. */
  readonly release: (wake?: Wake) => Promise<void>;
}

/**
 * When an append reaches the disk. `later`: with the next append that is flushed, or shortly after by itself. Until then,
 * the events survive the end of the process, but not a power loss. An engine may always flush now.
 */
export type Flush = 'now' | 'later';

/** `after`: at this time (ISO 8601; null: at no time) or after a message. `never`: the run has ended. */
export type Wake =
  | { readonly kind: 'now' }
  | { readonly kind: 'after'; readonly time: string | null }
  | { readonly kind: 'never' };

/**
 * Messages to a run from other processes: answers to its gates with their feedback, and the request to cancel it. Any
 * process may post; the first message of each key counts. A key is the path of a file in the run's record, which
 * contains the message once the driver has read it.
 */
export interface Inbox {
  /** Null if there is no message with this key. */
  readonly read: (key: string) => Promise<string | null>;
  /** When this returns `posted`, the message is durable. Checks the time and the key in one step. */
  readonly post: (key: string, message: string, terms?: PostTerms) => Promise<PostResult>;
  /** The time by which the engine checks the terms. */
  readonly now: () => Promise<Date>;
}

export interface RunLease {
  /** Fires with a `LeaseLost` if this process missed a renewal, or finds that another process drives the run. */
  readonly lost: AbortSignal;
  /** Throws a `LeaseLost` unless this process may still write. Cheap enough to call before every write. */
  readonly expectHeld: () => void;
}

export interface NewRun extends DrivenRun {
  /** Deletes the directory; for a start that failed before its first event. */
  readonly discard: () => Promise<void>;
}

/** Files of one run. Paths are relative to the run directory unless their name says otherwise. */
export interface RunDirectory {
  readonly runId: string;
  /** Absolute. */
  readonly path: string;
  readonly resolve: (relativePath: string) => string;
  /** Creates `artifacts/<step_id>[@n]` and returns this relative path. */
  readonly makeStepFolder: (stepId: string, attempt: number) => Promise<string>;
  /** Writes atomically. With `durable`, the file also survives power loss. */
  readonly write: (
    relativePath: string,
    content: string | Uint8Array,
    options?: { readonly durable?: boolean },
  ) => Promise<FileDigest>;
  /** Null if the file does not exist. `firstBytes` limits how much of a large file is read. */
  readonly read: (relativePath: string, options?: { readonly firstBytes?: number }) => Promise<string | null>;
  /** Files below a folder, relative to the run directory. Does not follow symbolic links. */
  readonly list: (relativePath: string) => Promise<readonly string[]>;
  /** Takes an absolute path inside the run directory. */
  readonly digest: (absolutePath: string) => Promise<FileDigest>;
  /** When this returns, the files and their parent folders survive power loss. */
  readonly sync: (relativePaths: readonly string[]) => Promise<void>;
  readonly appendText: (relativePath: string, text: string) => Promise<void>;
}

export interface FileDigest {
  readonly path: string;
  readonly sha256: string;
  readonly bytes: number;
}

/** Run ids sort by creation time, are collision-free and can be matched by prefix. */
export interface Ids {
  readonly newRunId: () => string;
}
