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
