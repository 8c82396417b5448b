import type { Status } from '../../contracts/run-files.ts';
import { LIFECYCLE_STATES, RUN_OUTCOMES } from '../../contracts/vocabulary.ts';
import type { RunListing } from '../../ports/run-store.ts';
import { formatAge, formatDuration, type Paint, printable, shortId } from './terminal.ts';

/** Where a run stands, as lists say it: `interrupted` runs by its status, but nobody drives it. */
export type StateWord = Status['lifecycle_state'] | 'starting' | 'interrupted' | 'unreadable';

/** Words that `--state` takes: how runs stand, and how they ended. */
export const STATE_FILTERS: readonly string[] = [
  ...new Set([...LIFECYCLE_STATES, 'interrupted', ...RUN_OUTCOMES]),
];

type Standing = Pick<RunListing, 'status' | 'driverPid'>;

export function stateWord({ status, driverPid }: Standing): StateWord {
  if (status === null) return driverPid === null ? 'unreadable' : 'starting';
  return status.lifecycle_state === 'running' && driverPid === null ? 'interrupted' : status.lifecycle_state;
}

export function isInState(run: Standing, wanted: string): boolean {
  return stateWord(run) === wanted || run.status?.outcome === wanted;
}

/** A run that has ended stays as it is; one that can't be read may still be alive. */
export function isLive({ status }: Standing): boolean {
  return status === null || status.outcome === null;
}

/** Whether a process works on it; one that only waits at a gate does not. */
export function isMoving(run: Standing): boolean {
  const word = stateWord(run);
  return run.driverPid !== null && (word === 'running' || word === 'starting');
}

/** The state with what to do about it, where something is to be done. */
export function stateText(run: RunListing, now: Date): string {
  const word = stateWord(run);
  const id = shortId(run.runId);
  switch (word) {
    case 'interrupted':
      return `interrupted: conductor resume ${id}`;
    case 'waiting': {
      const awaiting = run.status?.awaiting ?? null;
      if (awaiting === null) return `waiting: ${printable(run.status?.blocking_reason ?? 'for a time')}`;
      const { gate, expires_at } = awaiting;
      const expired = expires_at !== null && now.getTime() >= Date.parse(expires_at);
      return expired ? `waiting: expired, conductor resume ${id} will time it out` : `waiting: ${gate}`;
    }
    default:
      return run.status?.outcome ?? word;
  }
}

/** Characters of a title in a list. */
const LISTED_TITLE = 40;

/** `implement: Add a --quiet flag`. */
function nameOf(status: Status | null): string {
  if (status?.title === undefined) return status?.workflow_id ?? '';
  const title = [...printable(status.title)];
  const shown = title.length <= LISTED_TITLE ? title : [...title.slice(0, LISTED_TITLE - 1), '…'];
  return `${status.workflow_id}: ${shown.join('')}`;
}

/** One line of a list of runs; the state comes last, because it may be long. */
export function runRow(run: RunListing, now: Date, paint: Paint, state: string): string[] {
  const { runId, status } = run;
  const where = status?.current_step_id ?? status?.last_completed_step_id ?? '';
  return [
    shortId(runId),
    nameOf(status),
    where,
    status === null ? '' : `${formatAge(now.getTime() - Date.parse(status.started_at))} ago`,
    status === null ? '' : formatDuration(status.elapsed_seconds * 1_000),
    colourOf(run, paint)(state),
  ];
}

function colourOf(run: RunListing, paint: Paint): (text: string) => string {
  const word = stateWord(run);
  if (run.status?.outcome === 'success') return paint.green;
  if (word === 'failed' || word === 'unreadable') return paint.red;
  return word === 'running' || word === 'starting' ? paint.blue : paint.yellow;
}
