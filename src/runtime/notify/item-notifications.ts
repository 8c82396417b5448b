/**
 * Notifications about questions of work items. The journal is the outbox: a question is unsent for a target until
 * `notification_sent` is recorded. Several processes may see a question, so only the one that holds the lock sends.
 */

import type { WorkEvent } from '../../contracts/work/work-event.ts';
import { type AskedQuestion, listQuestions, notifyOfQuestion } from '../../notify/item-notification.ts';
import { maskSecrets } from '../../policy/secrets/secrets.ts';
import type { WorkJournal } from '../../ports/work/work-journal.ts';
import { questionKey } from '../../work/items/state.ts';
import type { RunOptions, WorkEngine, WorkSnapshot } from '../work/work-engine.ts';
import { type DeliveryDeps, deliver, SETTLE_MS, targetsFor } from './deliver.ts';

export interface ItemNotifyDeps extends DeliveryDeps {
  readonly journal: Pick<WorkJournal, 'withLock'>;
  /** The name of the repository. */
  readonly repository: string;
  readonly secrets: readonly string[];
  /** Runs `work` while no other process sends notifications about items. Rejects when the signal fires. */
  readonly alone: (work: () => Promise<void>, signal: AbortSignal) => Promise<void>;
}

/** The engine, which notifies users of questions while it runs agents, and of those that a killed process left unsent. */
export function notifyOfItems(engine: WorkEngine, deps: ItemNotifyDeps): WorkEngine {
  const targets = targetsFor(deps.notifier, ['question']);
  if (targets.length === 0) return engine;
  const during = async <T>(
    options: RunOptions | undefined,
    work: (options: RunOptions) => Promise<T>,
  ): Promise<T> => {
    const outbox = createOutbox(deps, targets, engine.snapshot);
    outbox.look();
    try {
      return await work({
        ...options,
        onEvent: (entry) => {
          options?.onEvent?.(entry);
          if (entry.event.type !== 'notification_sent') outbox.look();
        },
      });
    } finally {
      outbox.look();
      await outbox.settle();
    }
  };
  return {
    ...engine,
    runUntilIdle: (signal, options) =>
      during(options, (own) => engine.runUntilIdle(signal, { ...options, ...own })),
    watch: (signal, options) => during(options, (own) => engine.watch(signal, { ...options, ...own })),
    dispatch: (itemId, person, signal, options) =>
      during(options, (own) => engine.dispatch(itemId, person, signal, own)),
    review: (itemId, person, signal, options) =>
      during(options, (own) => engine.review(itemId, person, signal, own)),
    plan: (person, signal, options) => during(options, (own) => engine.plan(person, signal, own)),
  };
}

interface Outbox {
  /** Starts to send what is not recorded as sent; returns at once. */
  readonly look: () => void;
  /** Waits for what is being sent, for a bounded time; then records it as failed. */
  readonly settle: () => Promise<void>;
}

function createOutbox(
  deps: ItemNotifyDeps,
  targets: readonly string[],
  snapshot: () => Promise<WorkSnapshot>,
): Outbox {
  const giveUp = new AbortController();
  let sending: Promise<void> = Promise.resolve();
  let isWaiting = false;

  const findUnsent = async (target: string): Promise<readonly AskedQuestion[]> => {
    const { state, limits } = await snapshot();
    return listQuestions(state, limits).filter(({ id }) => !state.notified.has(questionKey(target, id)));
  };

  const sendAll = async (target: string): Promise<void> => {
    for (;;) {
      // What is asked may change while a notification is sent.
      const [question] = giveUp.signal.aborted ? [] : await findUnsent(target);
      if (question === undefined) return;
      await send(deps, target, question, giveUp.signal);
    }
  };

  const sendUnsent = async (): Promise<void> => {
    isWaiting = false;
    const unsent = await Promise.all(targets.map(findUnsent));
    if (unsent.every((questions) => questions.length === 0)) return;
    await deps.alone(async () => {
      await Promise.all(targets.map(sendAll));
    }, giveUp.signal);
  };

  return {
    look: () => {
      if (isWaiting) return;
      isWaiting = true;
      // A journal that can't be read or written is reported by the engine.
      sending = sending.then(sendUnsent).catch(() => {});
    },
    settle: async () => {
      const settled = new AbortController();
      const limit = deps.clock.sleep(SETTLE_MS, settled.signal).then(() => giveUp.abort());
      await sending;
      settled.abort();
      await limit;
    },
  };
}

async function send(
  deps: ItemNotifyDeps,
  target: string,
  question: AskedQuestion,
  signal: AbortSignal,
): Promise<void> {
  const mask = (text: string) => maskSecrets(text, deps.secrets);
  const { id, itemId, title, text } = question;
  const notification = notifyOfQuestion(
    { ...question, title: mask(title), text: mask(text) },
    deps.repository,
  );
  const event = { event_type: 'question', item_id: itemId };
  const { ok, message } = await deliver(deps, target, { notification, event }, signal);
  const sent: WorkEvent = { type: 'notification_sent', target, question: id, item_id: itemId, ok, message };
  await deps.journal.withLock(async (append) => {
    await append([sent]);
  });
}
