import type { Status } from '../../contracts/run/run-files.ts';
import { LIFECYCLE_STATES, RUN_OUTCOMES } from '../../contracts/vocabulary.ts';
import type { RunListing } from '../../ports/run-store.ts';

/** The state of a run in lists. `interrupted`: the status says running, but no process drives the run. */
export type ListedState = Status['lifecycle_state'] | 'starting' | 'interrupted' | 'unreadable';

/** The states and outcomes that a list can be filtered by. */
export const STATE_FILTERS: readonly string[] = [
  ...new Set([...LIFECYCLE_STATES, 'interrupted', ...RUN_OUTCOMES]),
];

type StatusAndDriver = Pick<RunListing, 'status' | 'driver'>;

export function deriveListedState({ status, driver }: StatusAndDriver): ListedState {
  if (status === null) return driver === null ? 'unreadable' : 'starting';
  return status.lifecycle_state === 'running' && driver === null ? 'interrupted' : status.lifecycle_state;
}

/** Whether a run is in this state, or ended with this outcome. */
export function isInState(run: StatusAndDriver, wanted: string): boolean {
  return deriveListedState(run) === wanted || run.status?.outcome === wanted;
}

/** Whether a run has not ended. A run whose status can't be read may still be running. */
export function isUnfinished({ status }: StatusAndDriver): boolean {
  return status === null || status.outcome === null;
}

/** Whether a process executes the run; a process that only waits at a gate does not count. */
export function isExecuting(run: StatusAndDriver): boolean {
  const state = deriveListedState(run);
  return run.driver !== null && (state === 'running' || state === 'starting');
}
