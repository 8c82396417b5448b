import { openBlockers } from '../../items/state.ts';
import { isTerminal } from '../../items/status-table.ts';
import { type Handler, moveItem } from './handler.ts';

/** When an item becomes terminal, pending items that waited only for it become ready. */
export const handleDependencies: Handler = (event, state) => {
  const ended = event.type === 'status_changed' && isTerminal(event.to) ? event.item_id : null;
  if (event.type !== 'looked' && ended === null) return [];
  return [...state.items.values()]
    .filter(({ item }) => item.status === 'pending' && item.blockedBy.length > 0)
    .filter(({ item }) => ended === null || item.blockedBy.includes(ended))
    .filter(({ item }) => openBlockers(state, item).length === 0)
    .map((known) => moveItem(known, 'ready', 'nothing holds it up'));
};
