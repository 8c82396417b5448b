import type { Status } from '../../../contracts/run/run-files.ts';
import { LIFECYCLE_STATES, RUN_OUTCOMES } from '../../../contracts/vocabulary.ts';
import type { RunListing } from '../../../ports/run-store.ts';
import { shorten } from '../../../text/shorten.ts';
import type { VerbContext } from '../command-context.ts';
import { withRepo } from './command-text.ts';
import type { ShortId } from './short-ids.ts';
import { renderTable } from './table.ts';
import { formatAge, formatDuration, type Paint, printable, textWidth } from './terminal.ts';

/** The state of a run in lists. `interrupted`: the status says running, but no process drives the run. */
export type StateWord = Status['lifecycle_state'] | 'starting' | 'interrupted' | 'unreadable';

/** The values of `--state`: states and outcomes. */
export const STATE_FILTERS: readonly string[] = [
  ...new Set([...LIFECYCLE_STATES, 'interrupted', ...RUN_OUTCOMES]),
];

type ListedState = Pick<RunListing, 'status' | 'driverPid'>;

export function stateWord({ status, driverPid }: ListedState): StateWord {
  if (status === null) return driverPid === null ? 'unreadable' : 'starting';
  return status.lifecycle_state === 'running' && driverPid === null ? 'interrupted' : status.lifecycle_state;
}

export function isInState(run: ListedState, wanted: string): boolean {
  return stateWord(run) === wanted || run.status?.outcome === wanted;
}

/** Whether a run has not ended. A run whose status can't be read may still be running. */
export function isLive({ status }: ListedState): boolean {
  return status === null || status.outcome === null;
}

/** Whether a process executes the run; a process that only waits at a gate does not count. */
export function isMoving(run: ListedState): boolean {
  const word = stateWord(run);
  return run.driverPid !== null && (word === 'running' || word === 'starting');
}

/** The state, with the command to continue the run if it needs one. */
export function stateText(run: RunListing, now: Date, short: ShortId): string {
  const word = stateWord(run);
  const id = short(run.runId);
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

/** The maximum length of a title in a list. */
const MAX_TITLE_LENGTH = 40;

/** `implement: Add a --quiet flag`. */
function nameOf(status: Status | null): string {
  if (status?.title === undefined) return status?.workflow_id ?? '';
  return `${status.workflow_id}: ${shorten(printable(status.title), MAX_TITLE_LENGTH)}`;
}

/** A list of runs. On a narrow terminal the title is shortened; then the duration, the step and the age are dropped. */
export function runTable(
  { terminal, repo }: Pick<VerbContext, 'terminal' | 'repo'>,
  listed: readonly RunListing[],
  now: Date,
  short: ShortId,
): string {
  const rows = listed.map((run) =>
    runRow(run, now, terminal.paintOut, short, withRepo(stateText(run, now, short), repo)),
  );
  return renderTable(rows, '', { width: textWidth(terminal, 0), drop: [4, 2, 3], shorten: 1 });
}

/** A row in the list of runs; the state comes last, because it may be long. */
export function runRow(run: RunListing, now: Date, paint: Paint, short: ShortId, state: string): string[] {
  const { runId, status } = run;
  const step = status?.current_step_id ?? status?.last_completed_step_id ?? '';
  return [
    short(runId),
    nameOf(status),
    step,
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
