import type { WorkEvent } from '../../../contracts/work/work-event.ts';
import type { WorkStatus } from '../../../contracts/work/work-item.ts';
import type { ProviderWrite, ProviderWritten } from '../../items/provider-values.ts';
import { FAILURE_LIMIT, type ItemFailure, type ItemRecord, type WorkState } from '../../items/state.ts';

/** The writes to the provider, and the events to record after them. */
export interface Change {
  readonly writes: readonly ProviderWrite[];
  readonly createEvents: (written: readonly ProviderWritten[]) => readonly WorkEvent[];
}

/** Moves an item through these statuses; the provider only sees the last one. */
export function moveThrough(
  { item }: ItemRecord,
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

interface RunEnd {
  readonly ok: boolean;
  readonly countsAsFailure: boolean;
  readonly reason: string;
}

/** Records the end of a run; a result that a user submitted has none. */
export function createRunEndEvents(
  state: WorkState,
  runId: string,
  { ok, countsAsFailure, reason }: RunEnd,
): readonly WorkEvent[] {
  return state.runs.has(runId)
    ? [{ type: 'run_ended', run_id: runId, ok, counted: countsAsFailure, reason }]
    : [];
}

/** The journal stores the status of an item separately from its labels. */
export function dropStatusLabels(labels: readonly string[]): string[] {
  return labels.filter((label) => !label.startsWith('status:'));
}

export interface AfterFailure {
  readonly to: WorkStatus;
  readonly reason: string;
}

/**
 * The next status after a failure, which is the last of `failures`. The item is retried until it has failed
 * three times in a row; failed reviews say nothing about the work. The status table has no transition from review to blocked, so from there it needs
 * refinement.
 */
export function decideAfterFailure(
  from: 'in-progress' | 'review',
  failures: readonly ItemFailure[],
  reason: string,
): AfterFailure {
  const ofWork = failures.filter(({ at }) => at !== 'reviewer');
  if (ofWork.length < FAILURE_LIMIT) return { to: 'pending', reason };
  const reasons = [...new Set(ofWork.map((failure) => failure.reason))].join('; ');
  return {
    to: from === 'review' ? 'needs-refinement' : 'blocked',
    reason: `it failed ${ofWork.length} times in a row: ${reasons}`,
  };
}
