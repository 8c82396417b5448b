import { openBlockers } from '../../items/state.ts';
import { type Handler, moveItem } from './handler.ts';

/** An item that is pending and whose blockers are all terminal becomes ready. */
export const handleReadiness: Handler = (event, state) => {
  const ids =
    event.type === 'looked'
      ? state.items.keys()
      : event.type === 'item_created'
        ? [event.item.id]
        : event.type === 'item_linked' || (event.type === 'status_changed' && event.to === 'pending')
          ? [event.item_id]
          : [];
  return [...ids].flatMap((id) => {
    const known = state.items.get(id);
    if (known?.item.status !== 'pending' || openBlockers(state, known.item).length > 0) return [];
    return [moveItem(known, 'ready', 'nothing holds it up')];
  });
};
