/**
 * Notifications of work items that need a user. The journal is the outbox: a question is unsent for a target until
 * `notification_sent` is recorded, so it is sent at least once, and twice only if the process is killed between sending
 * and recording. Of several processes, one sends at a time.
 */

import type { WorkEvent } from '../../contracts/work/work-event.ts';
import { notifyOfQuestion } from '../../notify/question-notification.ts';
import type { Notifier } from '../../ports/notifier.ts';
import type { OpenQuestion } from '../../work/items/questions.ts';
import { type DeliveryDeps, deliver, SETTLE_MS, targetsFor } from '../notify/deliver.ts';

export interface QuestionNotifications {
  /** Starts to send what is not recorded as sent; returns at once. */
  readonly send: () => void;
  /** Waits for what is being sent, for a bounded time; then records it as failed. */
  readonly settle: () => Promise<void>;
}

/** What the configuration says about notifications. */
export interface QuestionTargets extends Omit<DeliveryDeps, 'clock'> {
  readonly notifier: Notifier;
  /** The name of the repository. */
  readonly repository: string;
  /** Hides secrets. */
  readonly mask: (text: string) => string;
}

export interface QuestionNotificationsDeps extends QuestionTargets, DeliveryDeps {
  readonly findQuestions: () => readonly OpenQuestion[];
  /** Calls `send` after the journal was read to its end, while no other process sends to the target. */
  readonly asOnlySender: (target: string, signal: AbortSignal, send: () => Promise<void>) => Promise<void>;
  readonly record: (event: WorkEvent) => Promise<void>;
}

export function createQuestionNotifications(deps: QuestionNotificationsDeps): QuestionNotifications {
  const { notifier, clock, findQuestions } = deps;
  const active = new Map<string, Promise<void>>();
  let giveUp = new AbortController();

  const findUnsent = () =>
    findQuestions().flatMap((question) =>
      targetsFor(notifier, ['question'])
        .filter((target) => !question.notified.includes(target))
        .map((target) => ({ key: `${question.seq} ${target}`, question, target })),
    );

  const sendOne = (wanted: string, to: string) =>
    deps.asOnlySender(to, giveUp.signal, async () => {
      // Another process may have sent it, or the user answered, while this one waited.
      const unsent = findUnsent().find(({ key }) => key === wanted);
      if (unsent === undefined) return;
      const { question, target } = unsent;
      const masked = maskQuestion(question, deps.mask);
      const { seq, at, itemId, waiting } = masked;
      const event = { seq, at, item_id: itemId, code: waiting.code };
      const notification = notifyOfQuestion(masked, deps.repository);
      const { ok, message } = await deliver(
        deps,
        (signal) => notifier.send(target, { notification, event }, signal),
        giveUp.signal,
      );
      await deps.record({ type: 'notification_sent', item_id: itemId, target, for_seq: seq, ok, message });
    });

  return {
    send: () => {
      for (const { key, target } of findUnsent()) {
        if (active.has(key)) continue;
        // A journal that can't be written, such as on a full disk, leaves it unsent: the next round tries again.
        const sending = sendOne(key, target)
          .catch(() => {})
          .finally(() => active.delete(key));
        active.set(key, sending);
      }
    },
    settle: async () => {
      if (active.size === 0) return;
      const settled = new AbortController();
      const limit = clock.sleep(SETTLE_MS, settled.signal).then(() => giveUp.abort());
      await Promise.all(active.values());
      settled.abort();
      await limit;
      giveUp = new AbortController();
    },
  };
}

function maskQuestion(question: OpenQuestion, mask: (text: string) => string): OpenQuestion {
  const { title, waiting } = question;
  return { ...question, title: mask(title), waiting: { ...waiting, text: mask(waiting.text) } };
}
