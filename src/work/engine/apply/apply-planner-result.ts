import type { WorkEvent } from '../../../contracts/work/work-event.ts';
import type { ReadLabels } from '../../items/labels.ts';
import type { ProviderWrite, ProviderWritten } from '../../items/provider-values.ts';
import type { WorkState } from '../../items/state.ts';
import type { CommandOf } from '../command.ts';
import { type Change, createRunEndEvents, dropStatusLabels } from './change.ts';

/** Creates, links, closes and updates items, in this order and in one write. `checkPlannerResult` has already validated the result. */
export function applyPlannerResult(
  state: WorkState,
  command: CommandOf<'apply_planner_result'>,
  context: { readonly at: string; readonly by: string; readonly readLabels: ReadLabels },
): Change {
  const { result } = command;
  const writes: ProviderWrite[] = [
    ...result.create.map(
      ({ tempID, title, body, labels }): ProviderWrite => ({
        kind: 'create_item',
        ref: tempID,
        at: context.at,
        fields: { title, body, ...context.readLabels(labels) },
      }),
    ),
    ...result.create
      .filter(({ blockedBy }) => blockedBy.length > 0)
      .map(
        ({ tempID, blockedBy }): ProviderWrite => ({
          kind: 'link_item',
          item: tempID,
          blockedBy: [...new Set(blockedBy)],
        }),
      ),
    ...result.close.map((id): ProviderWrite => ({ kind: 'set_status', id, status: 'closed' })),
    ...result.update
      .filter(({ body, labels }) => body !== null || labels !== null)
      .map(
        ({ workItemID, body, labels }): ProviderWrite => ({
          kind: 'update_item',
          id: workItemID,
          fields: {
            ...(body === null ? {} : { body }),
            ...(labels === null ? {} : context.readLabels(labels)),
          },
        }),
      ),
  ];
  const specEvents: readonly WorkEvent[] =
    command.specs.length === 0
      ? []
      : [{ type: 'specs_planned', run_id: command.runId, specs: [...command.specs] }];
  return {
    writes,
    createEvents: (written) => [
      ...writes.flatMap((write, index) => createWriteEvents(state, write, written[index], context.by)),
      ...specEvents,
      ...createRunEndEvents(state, command.runId, {
        ok: true,
        countsAsFailure: false,
        reason: 'plan applied',
      }),
    ],
  };
}

function createWriteEvents(
  state: WorkState,
  write: ProviderWrite,
  written: ProviderWritten | undefined,
  by: string,
): readonly WorkEvent[] {
  switch (write.kind) {
    case 'set_status': {
      const from = state.items.get(write.id)?.item.status;
      if (from === undefined) return [];
      const reason = 'closed by the planner';
      return [{ type: 'status_changed', item_id: write.id, from, to: write.status, by, reason }];
    }
    case 'create_item':
    case 'link_item':
    case 'update_item':
      return written?.kind === 'item' ? [createItemEvent(write.kind, written)] : [];
    case 'keep_summary':
    case 'post_review':
      return [];
  }
}

function createItemEvent(
  kind: 'create_item' | 'link_item' | 'update_item',
  written: Extract<ProviderWritten, { kind: 'item' }>,
): WorkEvent {
  const { item, body } = written;
  const labels = dropStatusLabels(written.labels);
  switch (kind) {
    case 'create_item':
      return { type: 'item_created', item, body, labels };
    case 'link_item':
      return { type: 'item_linked', item_id: item.id, blocked_by: item.blockedBy };
    case 'update_item':
      return { type: 'item_updated', item, body, labels };
  }
}
