import type { WorkEvent } from '../../contracts/work/work-event.ts';
import type { WorkStatus } from '../../contracts/work/work-item.ts';
import { type AskedCommand, ENGINE } from '../command.ts';
import { transitionKey } from '../keys.ts';
import type { WorkLimits } from '../limits.ts';
import type { KnownItem, WorkState } from '../state.ts';

/**
 * `looked` is in no journal: it makes a handler check everything, so that no action depends on having seen an
 * event live.
 */
export type HandledEvent = WorkEvent | { readonly type: 'looked' };

/** Sees one snapshot and has no side effects. Its requests don't depend on those of other handlers. */
export type Handler = (event: HandledEvent, state: WorkState, limits: WorkLimits) => readonly AskedCommand[];

export function moveItem(known: KnownItem, to: WorkStatus, reason: string): AskedCommand {
  return {
    key: transitionKey(known, to),
    by: ENGINE,
    command: { kind: 'transition', itemId: known.item.id, to, reason },
  };
}
