import { runOfItem } from '../state.ts';
import { type Handler, moveItem } from './handler.ts';

/** In progress, and nobody works on it. It goes to pending, so that readiness is looked at again. */
export const handleOrphans: Handler = (event, state, limits) => {
  if (event.type !== 'looked' && event.type !== 'run_ended') return [];
  return [...state.items.values()]
    .filter(({ item }) => item.status === 'in-progress' && !limits.starting.has(item.id))
    .filter(({ item }) => runOfItem(state, item.id) === null)
    .map((known) => moveItem(known, 'pending', 'nobody works on it'));
};
