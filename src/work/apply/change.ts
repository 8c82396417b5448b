import type { WorkEvent } from '../../contracts/work/work-event.ts';
import type { WorkStatus } from '../../contracts/work/work-item.ts';
import type { ProviderWrite, ProviderWritten } from '../provider-values.ts';
import type { KnownItem, WorkState } from '../state.ts';

/** The writes to the provider, and the events to record after them. */
export interface Change {
  readonly writes: readonly ProviderWrite[];
  readonly eventsOf: (written: readonly ProviderWritten[]) => readonly WorkEvent[];
}

/** Moves an item through these statuses; the provider only sees the last one. */
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

/** Records the end of a run; a result that a user submitted has none. */
export function endRun(
  state: WorkState,
  runId: string,
  end: { readonly ok: boolean; readonly counted: boolean; readonly reason: string },
): readonly WorkEvent[] {
  return state.runs.has(runId) ? [{ type: 'run_ended', run_id: runId, ...end }] : [];
}

/** The journal stores the status of an item separately from its labels. */
export function withoutStatus(labels: readonly string[]): string[] {
  return labels.filter((label) => !label.startsWith('status:'));
}
