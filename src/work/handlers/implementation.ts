import { PRIORITIES } from '../../contracts/work/work-item.ts';
import { type AskedCommand, ENGINE } from '../command.ts';
import { requestKey } from '../keys.ts';
import { busyItems, isWanted, overlapAmong, takenPlaces } from '../limits.ts';
import { FAILURE_LIMIT, type KnownItem, openBlockers, type WorkState } from '../state.ts';
import type { Handler } from './handler.ts';
import { reviewableItems } from './review.ts';

/**
 * Requests runs for ready items, by priority and then by creation order. Reviews come before new work, so
 * that started work is finished first.
 */
export const handleImplementation: Handler = (event, state, limits) => {
  if (event.type !== 'looked' && event.type !== 'status_changed' && event.type !== 'run_ended') return [];
  const busy = new Map(busyItems(state, limits));
  let places = limits.jobs - takenPlaces(state, limits) - reviewableItems(state, limits).length;
  const asked: AskedCommand[] = [];
  for (const known of readyItems(state).filter(({ item }) => isWanted(limits, item.id))) {
    if (places <= 0) break;
    const { id } = known.item;
    if (busy.has(id) || overlapAmong(state, limits, known, busy) !== null) continue;
    busy.set(id, 'implementor');
    places -= 1;
    asked.push({
      key: requestKey('implementor', known),
      by: ENGINE,
      command: { kind: 'request_implementor_run', itemId: id },
    });
  }
  return asked;
};

/** A refinement is a question for users, so no agent gets one. */
function readyItems(state: WorkState): readonly KnownItem[] {
  return [...state.items.values()]
    .filter(({ item }) => item.status === 'ready' && item.type === 'implement')
    .filter(({ failedStarts }) => failedStarts.length < FAILURE_LIMIT)
    .filter(({ item }) => openBlockers(state, item).length === 0)
    .toSorted((a, b) => PRIORITIES.indexOf(a.item.priority) - PRIORITIES.indexOf(b.item.priority));
}
