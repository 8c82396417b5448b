import type { JournalEntry, WorkEvent } from '../../../../contracts/work/work-event.ts';
import type { WorkItem } from '../../../../contracts/work/work-item.ts';

/** The journal entries about one item, its runs and its revision. */
export function itemHistory(entries: readonly JournalEntry[], item: WorkItem): readonly JournalEntry[] {
  const runs = new Set(
    entries.flatMap(({ event }) =>
      event.type === 'run_accepted' && event.item_id === item.id ? [event.run_id] : [],
    ),
  );
  return entries.filter(({ event }) => concernsItem(event, item, runs));
}

function concernsItem(event: WorkEvent, item: WorkItem, runs: ReadonlySet<string>): boolean {
  switch (event.type) {
    case 'item_created':
    case 'item_updated':
      return event.item.id === item.id;
    case 'item_linked':
    case 'status_changed':
    case 'summary_kept':
    case 'revision_merged':
    case 'run_accepted':
    case 'command_refused':
    case 'command_failed':
      return event.item_id === item.id;
    case 'revision_made':
      return event.revision.workItemID === item.id;
    case 'pipeline_changed':
      return event.revision_id === item.linkedRevision;
    case 'review_posted':
      return event.review.revisionID === item.linkedRevision;
    case 'run_ended':
      return runs.has(event.run_id);
    case 'command_started':
    case 'command_done':
    case 'specs_seen':
    case 'specs_planned':
      return false;
  }
}

export interface RunOfItem {
  readonly run_id: string;
  readonly role: string;
  /** Null until the run has ended. */
  readonly ok: boolean | null;
  readonly reason: string | null;
}

export function runsOfItem(entries: readonly JournalEntry[]): readonly RunOfItem[] {
  return entries.flatMap(({ event }): RunOfItem[] => {
    if (event.type !== 'run_accepted') return [];
    const end = entries.find(
      (entry) => entry.event.type === 'run_ended' && entry.event.run_id === event.run_id,
    );
    const ended = end?.event.type === 'run_ended' ? end.event : null;
    return [{ run_id: event.run_id, role: event.role, ok: ended?.ok ?? null, reason: ended?.reason ?? null }];
  });
}
