import type { NotifyKind } from '../contracts/config/notify-config.ts';
import type { RunEvent } from '../contracts/run/event.ts';
import { gateAddress } from '../text/page-address.ts';
import { type ChangeCount, createNotification, type Notification } from './notification.ts';

/** What a notification says about its run besides the event. */
export interface RunFacts {
  readonly repository: string;
  readonly workflow: string;
  readonly title: string | null;
  readonly change: ChangeCount | null;
  readonly costUsd: number | null;
  /** How many starts of agents didn't report their cost. */
  readonly unknownCosts: number;
  /** Why the last step that gave a reason ended as it did. */
  readonly cause: string | null;
  /** Where the page is; null if it is not configured. */
  readonly pageUrl: string | null;
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

function eventIdOf({ run_id, seq }: Pick<RunEvent, 'run_id' | 'seq'>): string {
  return `${run_id}:${seq}`;
}

/** Null if the event needs no notification. */
export function notifyOfRunEvent(event: RunEvent, facts: RunFacts): Notification | null {
  const kinds = kindsOfRunEvent(event);
  const [kind] = kinds;
  if (kind === undefined) return null;
  const { costUsd, unknownCosts, cause, pageUrl, ...about } = facts;
  const runId = event.run_id;
  const partial = costUsd !== null && unknownCosts > 0 ? { cost_unknown_starts: unknownCosts } : {};
  const common = { id: eventIdOf(event), kind, kinds, ...about, cost_usd: costUsd, ...partial };
  switch (event.event_type) {
    case 'gate_requested':
      return createNotification({
        ...common,
        headline: `approval needed at gate ${event.step_id ?? event.payload.gate}`,
        asked: event.payload.reason,
        ...(pageUrl === null ? {} : { url: gateAddress(pageUrl, facts.repository, runId) }),
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
        asked: event.payload.reason ?? (kind === 'failed' ? cause : null),
        commands: [`conductor show ${runId}`],
      });
    default:
      return null;
  }
}
