import type { NotifyKind } from '../contracts/config/notify-config.ts';
import type { RunEvent } from '../contracts/run/event.ts';
import type { JournalEntry } from '../contracts/work/work-event.ts';
import { formatCommand } from '../text/shell-words.ts';
import { type ChangeCount, createNotification, type Notification } from './notification.ts';

/** What a notification says about its run besides the event. */
export interface RunFacts {
  readonly repository: string;
  readonly workflow: string;
  readonly title: string | null;
  readonly change: ChangeCount | null;
  readonly costUsd: number | null;
}

/** The kinds of an event, the most specific one first; empty if it needs no notification. */
export function kindsOfRunEvent(event: RunEvent): readonly NotifyKind[] {
  switch (event.event_type) {
    case 'gate_requested':
      return ['gate'];
    case 'step_waiting':
      return event.payload.until === undefined ? [] : ['parked'];
    case 'run_completed':
      return event.payload.outcome === 'success' ? ['end'] : ['failed', 'end'];
    default:
      return [];
  }
}

export function eventIdOf({ run_id, seq }: Pick<RunEvent, 'run_id' | 'seq'>): string {
  return `${run_id}:${seq}`;
}

/** Null if the event needs no notification. */
export function notifyOfRunEvent(event: RunEvent, facts: RunFacts): Notification | null {
  const kinds = kindsOfRunEvent(event);
  const [kind] = kinds;
  if (kind === undefined) return null;
  const { costUsd, ...about } = facts;
  const runId = event.run_id;
  const common = { id: eventIdOf(event), kind, kinds, ...about, cost_usd: costUsd };
  switch (event.event_type) {
    case 'gate_requested':
      return createNotification({
        ...common,
        headline: `approval needed at gate ${event.step_id ?? event.payload.gate}`,
        asked: event.payload.reason,
        commands: [
          `conductor show ${runId}`,
          `conductor approve ${runId} --resume`,
          `conductor reject ${runId} --resume`,
        ],
      });
    case 'step_waiting':
      return createNotification({
        ...common,
        headline: `step ${event.step_id ?? ''} waits until ${event.payload.until ?? ''}`,
        asked: event.payload.reason ?? null,
        commands: [`conductor resume ${runId}`],
      });
    case 'run_completed':
      return createNotification({
        ...common,
        headline: `ended: ${event.payload.outcome}`,
        asked: event.payload.reason,
        commands: [`conductor show ${runId}`],
      });
    default:
      return null;
  }
}

const NEEDS_PERSON: readonly string[] = ['blocked', 'needs-refinement'];

/** The item that an entry of the work journal asks a person about; null if it asks nothing. */
export function findQuestion({
  event,
}: JournalEntry): { readonly itemId: string; readonly asked: string } | null {
  if (event.type === 'status_changed' && event.by === 'engine' && NEEDS_PERSON.includes(event.to))
    return { itemId: event.item_id, asked: event.reason };
  if (event.type === 'item_created' && event.item.type === 'refinement')
    return { itemId: event.item.id, asked: event.item.title };
  return null;
}

export function notifyOfQuestion(
  entry: JournalEntry,
  { repository, title }: { readonly repository: string; readonly title: string | null },
): Notification | null {
  const question = findQuestion(entry);
  if (question === null) return null;
  const { itemId, asked } = question;
  return createNotification({
    id: `work:${entry.seq}`,
    kind: 'question',
    kinds: ['question'],
    repository,
    workflow: null,
    title,
    headline: `item ${itemId} needs you`,
    asked,
    change: null,
    cost_usd: null,
    commands: [
      formatCommand(['conductor', 'work', 'show', itemId]),
      formatCommand(['conductor', 'work', 'transition', itemId, 'pending', '--reason', '…']),
    ],
  });
}
