/**
 * Notifications of one run, and the export of its telemetry, which follows the same rules. The log is the outbox: an
 * event is unsent for a target until `notification_sent` is recorded. So every notification is sent at least once, and twice only if the process is killed between sending and
 * recording. Only the process that drives the run sends.
 */

import { basename } from 'node:path';
import type { EventDraft, RunEvent } from '../../contracts/run/event.ts';
import type { ChangeCount } from '../../notify/notification.ts';
import type { SendResult } from '../../notify/retry.ts';
import { kindsOfRunEvent, notifyOfRunEvent } from '../../notify/run-notification.ts';
import { maskSecrets } from '../../policy/secrets/secrets.ts';
import type { Notifier } from '../../ports/notifier.ts';
import type { RunDirectory } from '../../ports/run-store.ts';
import type { TelemetryExporter } from '../../ports/telemetry-exporter.ts';
import { countGateChange, countWholeChange } from '../record/change-count.ts';
import { findParked, type RunView } from '../record/run-view.ts';
import type { RunDeps } from '../run-context.ts';
import { type DeliveryDeps, deliver, SETTLE_MS, targetsFor } from './deliver.ts';
import { encodeRecordedRun } from './run-telemetry.ts';

export interface RunNotifications {
  /** Starts to send what is not recorded as sent; returns at once. */
  readonly add: (events: readonly RunEvent[]) => void;
  /** Waits for what is being sent, for a bounded time; then records it as failed. */
  readonly settle: () => Promise<void>;
  /** Stops without recording: the next process that drives the run sends what is unsent. */
  readonly stop: () => Promise<void>;
}

export interface RunNotificationsRequest {
  readonly deps: RunDeps;
  readonly directory: RunDirectory;
  readonly view: () => RunView;
  readonly events: () => readonly RunEvent[];
  readonly record: (drafts: readonly EventDraft[]) => Promise<void>;
}

/** Tries once. */
type Sending = (signal: AbortSignal) => Promise<SendResult>;

const NO_NOTIFICATIONS: RunNotifications = { add: () => {}, settle: async () => {}, stop: async () => {} };

export function createRunNotifications(request: RunNotificationsRequest): RunNotifications {
  const { deps, record } = request;
  const { notify: notifier, telemetry = null } = deps.project;
  if (notifier === null && telemetry === null) return NO_NOTIFICATIONS;
  const delivery: DeliveryDeps = { clock: deps.clock, chance: deps.chance ?? (() => 0.5) };
  const giveUp = new AbortController();
  const stopped = new AbortController();
  const signal = AbortSignal.any([giveUp.signal, stopped.signal]);
  /** One queue per target, so that a slow target doesn't delay another, and order is kept. */
  const queues = new Map<string, Promise<void>>();

  /** `prepare` returns what to send; null if there is nothing. */
  const send = async (target: string, event: RunEvent, prepare: () => Promise<Sending | null>) => {
    const sending = await prepare();
    if (sending === null || stopped.signal.aborted) return;
    const { ok, message } = await deliver(delivery, sending, signal);
    if (!ok && stopped.signal.aborted) return;
    const payload = { target, for_seq: event.seq, ok, message };
    await record([{ event_type: 'notification_sent', step_id: null, payload }]);
  };
  const queue = (target: string, event: RunEvent, prepare: () => Promise<Sending | null>) => {
    if (isRecorded(request.events(), target, event.seq)) return;
    // A record that can't be written, such as after a lost lease, is no failure of the run.
    const turn = (queues.get(target) ?? Promise.resolve())
      .then(() => send(target, event, prepare))
      .catch(() => {});
    queues.set(target, turn);
  };

  const wait = () => Promise.all(queues.values());
  return {
    add: (events) => {
      for (const event of events) {
        if (notifier !== null)
          for (const target of targetsFor(notifier, kindsOfRunEvent(event)))
            queue(target, event, () => prepareNotification(request, notifier, target, event));
        if (telemetry !== null && event.event_type === 'run_completed')
          queue(telemetry.name, event, () => prepareTelemetry(request, telemetry));
      }
    },
    settle: async () => {
      const settled = new AbortController();
      const limit = deps.clock.sleep(SETTLE_MS, settled.signal).then(() => giveUp.abort());
      await wait();
      settled.abort();
      await limit;
    },
    stop: async () => {
      stopped.abort();
      await wait();
    },
  };
}

/**
 * Events of a recorded run whose notification still matters: an open gate, a parking that isn't over, the end. After a
 * kill, they may be unsent. A gate that was answered meanwhile asks nothing any more.
 */
export function findCurrent(events: readonly RunEvent[], view: RunView | null): readonly RunEvent[] {
  if (view === null) return [];
  const isParked = findParked(view) !== null;
  const last = (type: RunEvent['event_type']) => events.findLast(({ event_type }) => event_type === type);
  const current = [
    ...(view.awaiting === null ? [] : [last('gate_requested')]),
    ...(isParked ? [last('step_waiting')] : []),
    ...(view.end === null ? [] : [last('run_completed')]),
  ];
  return current.filter((event) => event !== undefined);
}

/** Whether a target already has a record for an event. */
function isRecorded(events: readonly RunEvent[], target: string, seq: number): boolean {
  return events.some(
    (event) =>
      event.event_type === 'notification_sent' &&
      event.payload.target === target &&
      event.payload.for_seq === seq,
  );
}

async function prepareNotification(
  request: RunNotificationsRequest,
  notifier: Notifier,
  target: string,
  event: RunEvent,
): Promise<Sending | null> {
  const notification = notifyOfRunEvent(event, await collectFacts(request, event));
  return notification === null ? null : (signal) => notifier.send(target, { notification, event }, signal);
}

async function prepareTelemetry(
  { deps, directory, events }: RunNotificationsRequest,
  telemetry: TelemetryExporter,
): Promise<Sending | null> {
  const documents = await encodeRecordedRun({
    directory,
    events: events(),
    repoRoot: deps.project.repoRoot,
    payloads: telemetry.payloads,
  });
  return documents === null ? null : (signal) => telemetry.send(documents, signal);
}

async function collectFacts({ deps, directory, view }: RunNotificationsRequest, event: RunEvent) {
  const { started, starts, title, state, steps } = view();
  const cause = steps.findLast(({ reason }) => reason !== null)?.reason ?? null;
  const mask = (text: string) => maskSecrets(text, deps.project.secrets ?? []);
  return {
    repository: basename(deps.project.repoRoot),
    workflow: started.workflow_id,
    title: title === null ? null : mask(title),
    change: await countChange(directory, event).catch(() => null),
    costUsd: state.usage.costUsd,
    unknownCosts: starts.filter(({ usage }) => usage.cost_usd === null).length,
    cause: cause === null ? null : mask(cause),
    pageUrl: deps.project.pageUrl ?? null,
  };
}

/** Of an ended run, the whole change; at a gate, the change that the gate shows. */
async function countChange(directory: RunDirectory, event: RunEvent): Promise<ChangeCount | null> {
  if (event.event_type === 'gate_requested') {
    const key = { stepId: event.step_id ?? '', attempt: event.payload.attempt };
    return countGateChange(directory, key);
  }
  return event.event_type === 'run_completed' ? countWholeChange(directory) : null;
}
