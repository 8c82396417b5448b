import type { JournalEntry, WorkEvent } from '../../contracts/work/work-event.ts';
import type { WorkItem, WorkStatus } from '../../contracts/work/work-item.ts';
import type { WorkSnapshot } from '../../runtime/work/work-engine.ts';
import { readBody } from '../../work/bodies/body.ts';
import { formatLabels, readLabelFields } from '../../work/items/labels.ts';
import { findRunOfItem, type ItemRecord, revisionOf } from '../../work/items/state.ts';
import { isTerminal } from '../../work/items/status-table.ts';
import { explainWaiting, type Waiting } from '../../work/items/waiting.ts';

/** The document of `work show --json`. */
export function shownItemDocument(
  snapshot: WorkSnapshot,
  known: ItemRecord,
  history: readonly JournalEntry[],
) {
  const { state } = snapshot;
  const revision = revisionOf(state, known.item);
  return {
    item: itemDocument(snapshot, known),
    body: known.body,
    labels: labelsOfItem(known),
    criteria: readBody(known.body).criteria.map(({ text, done }) => ({ text, done })),
    blockers: blockersOf(snapshot, known),
    revision,
    reviews: revision === null ? [] : (state.reviews.get(revision.id) ?? []),
    summaries: known.summaries.map(({ runId, summary }) => ({ run_id: runId, summary })),
    failures: known.failures,
    rounds: known.rounds,
    scope_extensions: known.extensions,
    runs: runsOfItem(history),
    history,
  };
}

export interface Blocker {
  readonly id: string;
  readonly title: string | null;
  /** Null if the item does not exist. */
  readonly status: WorkStatus | null;
  readonly done: boolean;
}

export function blockersOf({ state }: WorkSnapshot, { item }: ItemRecord): readonly Blocker[] {
  return item.blockedBy.map((id) => {
    const blocker = state.items.get(id)?.item;
    const status = blocker?.status ?? null;
    return { id, title: blocker?.title ?? null, status, done: status !== null && isTerminal(status) };
  });
}

/** An item for `--json`: the provider's fields, the reason why it waits, and the run that works on it. */
export function itemDocument(snapshot: WorkSnapshot, known: ItemRecord) {
  const run = findRunOfItem(snapshot.state, known.item.id);
  const waiting = explainWaiting(known, snapshot);
  return {
    ...known.item,
    waiting: waiting?.text ?? null,
    waiting_reason: waiting === null ? null : waitingDocument(waiting),
    run: run === null ? null : { run_id: run.runId, role: run.role },
  };
}

function waitingDocument({ code, needsUser, items, files, until, command }: Waiting) {
  return { code, needs_user: needsUser, items: [...items], files: [...files], until, command };
}

/** All labels of an item as a provider shows them, including its status, which the journal stores separately. */
export function labelsOfItem({ item, labels }: ItemRecord): readonly string[] {
  return formatLabels({ ...readLabelFields(labels), status: item.status });
}

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
    case 'scope_extended':
    case 'stack_conflicted':
    case 'notification_sent':
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

function runsOfItem(entries: readonly JournalEntry[]): readonly RunOfItem[] {
  return entries.flatMap(({ event }): RunOfItem[] => {
    if (event.type !== 'run_accepted') return [];
    const end = entries.find(
      (entry) => entry.event.type === 'run_ended' && entry.event.run_id === event.run_id,
    );
    const ended = end?.event.type === 'run_ended' ? end.event : null;
    return [{ run_id: event.run_id, role: event.role, ok: ended?.ok ?? null, reason: ended?.reason ?? null }];
  });
}
