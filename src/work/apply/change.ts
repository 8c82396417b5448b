import type { WorkEvent } from '../../contracts/work-event.ts';
import type { WorkStatus } from '../../contracts/work-item.ts';
import type { ProviderWrite, ProviderWritten } from '../provider-values.ts';
import type { KnownItem, WorkState } from '../state.ts';

/** What goes to the provider at once, and what has happened when it is there. */
export interface Change {
  readonly writes: readonly ProviderWrite[];
  readonly eventsOf: (written: readonly ProviderWritten[]) => readonly WorkEvent[];
}

/** Moves an item along these statuses, the last of which the provider is shown. */
export function moveAlong(
  { item }: KnownItem,
  path: readonly WorkStatus[],
  by: string,
  reason: string,
): { readonly writes: readonly ProviderWrite[]; readonly events: readonly WorkEvent[] } {
  const last = path.at(-1);
  if (last === undefined) return { writes: [], events: [] };
  const events = path.map((to, index): WorkEvent => {
    const from = path[index - 1] ?? item.status;
    return { type: 'status_changed', item_id: item.id, from, to, by, reason };
  });
  return { writes: [{ kind: 'set_status', id: item.id, status: last }], events };
}

/** A result that a person brought has no run. */
export function endRun(
  state: WorkState,
  runId: string,
  end: { readonly ok: boolean; readonly counted: boolean; readonly reason: string },
): readonly WorkEvent[] {
  return state.runs.has(runId) ? [{ type: 'run_ended', run_id: runId, ...end }] : [];
}

/** The journal keeps the status of an item apart from its labels. */
export function withoutStatus(labels: readonly string[]): string[] {
  return labels.filter((label) => !label.startsWith('status:'));
}
