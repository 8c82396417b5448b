import { runOfItem } from '../../items/state.ts';
import { type Handler, moveItem } from './handler.ts';

/** An item in progress without a run goes back to pending, so that its readiness is checked again. */
export const handleOrphans: Handler = (event, state, limits) => {
  if (event.type !== 'looked' && event.type !== 'run_ended') return [];
  return [...state.items.values()]
    .filter(({ item }) => item.status === 'in-progress' && !limits.starting.has(item.id))
    .filter(({ item }) => runOfItem(state, item.id) === null)
    .map((known) => moveItem(known, 'pending', 'no run works on it'));
};
