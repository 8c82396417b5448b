import type { RunEvent } from '../run/event.ts';

/** What `GET /runs/:run` has besides the document of `conductor show --json`. */
export interface RunPageFields {
  /** The path so far: `implement → validate (error) → …`. */
  readonly path_text: string;
  readonly state: string;
  readonly driver_pid: number | null;
  readonly awaiting: {
    readonly step_id: string;
    readonly attempt: number;
    readonly gate: string;
    readonly requested_at: string;
    readonly expires_at: string | null;
  } | null;
  readonly waiting_until: string | null;
  readonly started_at: string;
  readonly ended_at: string | null;
  /** Where the result is; null if there is none yet. */
  readonly branch: string | null;
  /** The last event that the document includes. */
  readonly as_of_seq: number;
  /** What to run on the command line next. */
  readonly commands: readonly string[];
}

/** Answer to `GET /runs/:run/events`. */
export interface EventsDocument {
  readonly events: readonly RunEvent[];
  /** -1 if there is none. */
  readonly last_seq: number;
}

/** Data of the stream's event `changed`. */
export interface ChangedDocument {
  readonly runs: readonly { readonly run_id: string; readonly seq: number; readonly state: string }[];
}

/** Why the attendant has not continued a run that could go on. */
export interface AttendantProblem {
  readonly run_id: string;
  /** `needs_trust`: the user has to run `conductor trust` in a terminal. */
  readonly kind: 'needs_trust' | 'failed';
  readonly message: string;
  readonly retry_at: string;
}
