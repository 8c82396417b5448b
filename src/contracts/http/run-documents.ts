import type { RunEvent } from '../run/event.ts';

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
