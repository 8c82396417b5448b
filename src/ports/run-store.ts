import type { EventDraft, RunEvent } from '../contracts/event.ts';
import type { Status } from '../contracts/run-files.ts';
import type { Driver } from '../contracts/run-lease.ts';

/** The runs of one repository, as folders. */
export interface RunStore {
  /** Where a run of this id will be, absolute. Makes nothing. */
  readonly locate: (runId: string, artifactsDir: string | null) => string;
  /** Makes the folder of a new run and takes its lock. */
  readonly create: (runId: string, artifactsDir: string | null) => Promise<NewRun>;
  /** Takes the lock of a recorded run, unless another process holds it. */
  readonly drive: (runId: string) => Promise<DriveResult>;
  /** Reads a run without taking part in it. */
  readonly read: (runId: string) => Promise<ReadResult>;
  /** All run ids that start with the given text. */
  readonly match: (prefix: string) => Promise<readonly string[]>;
  /** Newest first. */
  readonly list: () => Promise<readonly RunListing[]>;
}

export interface RunListing {
  readonly runId: string;
  readonly path: string;
  /** Null when status.json can't be read. */
  readonly status: Status | null;
  readonly driverPid: number | null;
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
  readonly events: readonly RunEvent[];
  /** The process that drives the run now, if one does. */
  readonly driverPid: number | null;
}

/** The right to write to a run: exactly one process has it, as long as it holds the lease. */
export interface DrivenRun {
  readonly lease: RunLease;
  /** Writes throw `LeaseLost` once the lease is lost. */
  readonly directory: RunDirectory;
  readonly events: readonly RunEvent[];
  /**
   * Returns once the events are on disk. Writes nothing if the lease is lost, or if the log doesn't end where this
   * process left it.
   */
  readonly append: (drafts: readonly EventDraft[]) => Promise<readonly RunEvent[]>;
  readonly release: () => Promise<void>;
}

export interface RunLease {
  /** Fires with a `LeaseLost` when this process has missed its lease, or when it finds that another one drives the run. */
  readonly lost: AbortSignal;
  /** Throws a `LeaseLost` unless this process may still write. Cheap enough to ask before every write. */
  readonly expectHeld: () => void;
}

export interface NewRun extends DrivenRun {
  /** Takes the folder away again; for a start that failed before its first event. */
  readonly discard: () => Promise<void>;
}

/** Files of one run. Paths given and returned are relative to the run directory unless they say otherwise. */
export interface RunDirectory {
  readonly runId: string;
  /** Absolute. */
  readonly path: string;
  readonly resolve: (relativePath: string) => string;
  /** Makes `artifacts/<step_id>[@n]` and returns it, relative. */
  readonly makeStepFolder: (stepId: string, attempt: number) => Promise<string>;
  /** Whole or not at all. `durable` also survives power loss. */
  readonly write: (
    relativePath: string,
    content: string | Uint8Array,
    options?: { readonly durable?: boolean },
  ) => Promise<FileDigest>;
  /** Writes only if nothing is there yet; false when something is. */
  readonly writeOnce: (relativePath: string, content: string) => Promise<boolean>;
  /** Null when there is no such file. `firstBytes` takes no more than that of a file that may be large. */
  readonly read: (relativePath: string, options?: { readonly firstBytes?: number }) => Promise<string | null>;
  /** Files below a folder, relative to the run directory; links are not followed. */
  readonly list: (relativePath: string) => Promise<readonly string[]>;
  /** Takes an absolute path inside the run directory. */
  readonly digest: (absolutePath: string) => Promise<FileDigest>;
  /** Files and the folders on the way to them survive power loss when this returns. */
  readonly sync: (relativePaths: readonly string[]) => Promise<void>;
  readonly appendText: (relativePath: string, text: string) => Promise<void>;
}

export interface FileDigest {
  readonly path: string;
  readonly sha256: string;
  readonly bytes: number;
}
