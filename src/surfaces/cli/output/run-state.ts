import { deriveListedState } from '../../../app/runs/listed-state.ts';
import type { Status } from '../../../contracts/run/run-files.ts';
import type { ShortId } from '../../../overview/short-ids.ts';
import type { RunListing } from '../../../ports/run-store.ts';
import { splitParkedReason } from '../../../runtime/record/derived-files.ts';
import { shorten } from '../../../text/shorten.ts';
import { withRepo } from './command-text.ts';
import { untilText } from './gate-lines.ts';
import { renderTable } from './table.ts';
import { formatAge, formatDuration, type Output, type Paint, printable } from './terminal.ts';

/** The state, with the command to continue the run if it needs one. */
export function stateText(run: RunListing, now: Date, short: ShortId): string {
  const state = deriveListedState(run);
  const id = short(run.runId);
  switch (state) {
    case 'interrupted':
      return `interrupted: conductor resume ${id}`;
    case 'waiting': {
      const awaiting = run.status?.awaiting ?? null;
      if (awaiting === null) return parkedText(run.status?.blocking_reason ?? 'until a stated time', now);
      const { step_id, expires_at } = awaiting;
      const expired = expires_at !== null && now.getTime() >= Date.parse(expires_at);
      return expired
        ? `waiting: expired, conductor resume ${id} will time it out`
        : `waiting for approval at gate ${step_id}`;
    }
    default:
      return run.status?.outcome ?? state;
  }
}

/** Times in lists are relative; the details of a run have the exact one. */
function parkedText(blockingReason: string, now: Date): string {
  const parked = splitParkedReason(blockingReason);
  if (parked === null) return `waiting: ${printable(blockingReason)}`;
  const { reason, until } = parked;
  return `parked, due ${untilText(until, now)}: ${printable(reason)}`;
}

/** The width that a state has at least; a longer one is wrapped. */
const MIN_STATE_WIDTH = 22;
/** The maximum length of a title in a list. */
const MAX_TITLE_LENGTH = 40;

/** `implement: Add a --quiet flag`. */
function nameOf(status: Status | null): string {
  if (status?.title === undefined) return status?.workflow_id ?? '';
  return `${status.workflow_id}: ${shorten(printable(status.title), MAX_TITLE_LENGTH)}`;
}

/**
 * A list of runs, with their tokens and their cost if `spentBy` is given. On a narrow terminal the title is shortened and
 * the state is wrapped; then the duration, the tokens, the step, the cost and the age are dropped.
 */
export function runTable(
  { paint, width }: Pick<Output, 'paint' | 'width'>,
  repo: string | null,
  listed: readonly RunListing[],
  now: Date,
  short: ShortId,
  spentBy: ((runId: string) => readonly string[]) | null = null,
): string {
  const rows = listed.map((run) => {
    const row = runRow(run, now, paint, short, withRepo(stateText(run, now, short), repo));
    return spentBy === null ? row : [...row.slice(0, -1), ...spentBy(run.runId), ...row.slice(-1)];
  });
  const drop = spentBy === null ? [4, 2, 3] : [4, 5, 2, 6, 3];
  return renderTable(rows, '', { width, drop, shorten: 1, minLast: MIN_STATE_WIDTH });
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
  const state = deriveListedState(run);
  if (run.status?.outcome === 'success') return paint.green;
  if (state === 'failed' || state === 'unreadable') return paint.red;
  return state === 'running' || state === 'starting' ? paint.blue : paint.yellow;
}
