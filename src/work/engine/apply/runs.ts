import type { WorkEvent } from '../../../contracts/work/work-event.ts';
import type { WorkStatus } from '../../../contracts/work/work-item.ts';
import type { ActiveRun, ItemRecord, WorkState } from '../../items/state.ts';
import type { CommandOf } from '../command.ts';
import { type Change, createRunEndEvents, decideAfterFailure, moveThrough } from './change.ts';

/** Records a new run and moves its item to in-progress. A review does not move its item. */
export function acceptRun(state: WorkState, command: CommandOf<'accept_run'>, by: string): Change {
  const known = command.itemId === null ? undefined : state.items.get(command.itemId);
  const moves =
    command.role === 'implementor' && known !== undefined
      ? moveThrough(known, ['in-progress'], by, `run ${command.runId} has started`)
      : { writes: [], events: [] };
  const accepted: WorkEvent = {
    type: 'run_accepted',
    run_id: command.runId,
    role: command.role,
    item_id: command.itemId,
    specs: [...command.specs],
    revision_id: command.revisionId,
  };
  return { writes: moves.writes, createEvents: () => [accepted, ...moves.events] };
}

/**
 * Ends a run without a result. After an implementor, the item is retried, unless its status has changed meanwhile.
 * After a reviewer, the item stays in review: its revision and checks are as good as before.
 */
export function giveUpRun(state: WorkState, command: CommandOf<'give_up_run'>, by: string): Change {
  const { runId, role, reason, counted: countsAsFailure } = command;
  const known = command.itemId === null ? undefined : state.items.get(command.itemId);
  const ended = createRunEndEvents(state, runId, { ok: false, countsAsFailure, reason });
  if (role !== 'implementor' || known?.item.status !== 'in-progress')
    return { writes: [], createEvents: () => ended };
  const failures = countsAsFailure ? [...known.failures, { at: role, reason }] : [];
  const next = decideAfterFailure('in-progress', failures, reason);
  const moves = moveThrough(known, [next.to], by, next.reason);
  return { writes: moves.writes, createEvents: () => [...ended, ...moves.events] };
}

/** A user cancels a run. The item then waits for a user, or the engine would start it again at once. */
export function cancelRun(state: WorkState, known: ItemRecord, run: ActiveRun, by: string): Change {
  const reason = `${by} cancelled run ${run.runId}`;
  const path = cancelPath(known.item.status);
  const moves = moveThrough(known, path, by, reason);
  const ended = createRunEndEvents(state, run.runId, { ok: false, countsAsFailure: false, reason });
  return { writes: moves.writes, createEvents: () => [...ended, ...moves.events] };
}

function cancelPath(status: WorkStatus): readonly WorkStatus[] {
  if (status === 'in-progress') return ['blocked'];
  return status === 'review' ? ['needs-refinement'] : [];
}
