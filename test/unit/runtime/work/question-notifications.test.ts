import { describe, expect, it } from 'vitest';
import type { WorkEvent } from '../../../../src/contracts/work/work-event.ts';
import type { Notification } from '../../../../src/notify/notification.ts';
import type { SendResult } from '../../../../src/notify/retry.ts';
import { createQuestionNotifications } from '../../../../src/runtime/work/question-notifications.ts';
import { findOpenQuestions } from '../../../../src/work/items/questions.ts';
import { created, limits, moved, stateOf } from '../../work/fixtures.ts';

const BLOCKED = [
  created({ id: '1', status: 'in-progress' }),
  moved('1', 'in-progress', 'blocked', 'engine', 'the token abc is wrong'),
];

interface World {
  readonly answer?: (count: number, signal: AbortSignal) => SendResult | Promise<SendResult>;
  /** How often recording fails. */
  readonly unrecorded?: number;
}

function prepare({ answer = () => ({ ok: true }), unrecorded = 0 }: World = {}) {
  const events: WorkEvent[] = [...BLOCKED];
  const sent: Notification[] = [];
  let failures = unrecorded;
  const notifications = createQuestionNotifications({
    notifier: {
      targets: [
        { name: 'hook', on: ['question'] },
        { name: 'other', on: ['end'] },
      ],
      send: async (_target, { notification }, signal) => {
        sent.push(notification);
        return answer(sent.length, signal);
      },
    },
    clock: { now: () => new Date(0), sleep: async () => {} },
    chance: () => 0.5,
    repository: 'shop',
    mask: (text) => text.replace('abc', '***'),
    findQuestions: () => findOpenQuestions({ state: stateOf(events), limits: limits() }),
    asOnlySender: (_target, _signal, send) => send(),
    record: async (event) => {
      if (failures-- > 0) throw new Error('killed');
      events.push(event);
    },
  });
  const sendAll = async () => {
    notifications.send();
    await notifications.settle();
  };
  return { events, sent, sendAll, notifications };
}

describe('the notification of a question', () => {
  it('is sent once to each target that wants it, without secrets', async () => {
    const { sent, events, notifications, sendAll } = prepare();
    notifications.send();
    await sendAll();
    await sendAll();
    expect(sent.map(({ asked }) => asked)).toEqual(['the token *** is wrong']);
    expect(events.at(-1)).toEqual({
      type: 'notification_sent',
      item_id: '1',
      target: 'hook',
      for_seq: 2,
      ok: true,
      message: null,
    });
  });

  it('is sent again with the same id if it could not be recorded', async () => {
    const { sent, sendAll } = prepare({ unrecorded: 1 });
    await sendAll();
    await sendAll();
    expect(sent).toHaveLength(2);
    expect(new Set(sent.map(({ id }) => id)).size).toBe(1);
  });

  it('is recorded as failed with the reason, and not sent again', async () => {
    const refused = { ok: false, message: 'HTTP 403', isTransient: false, retryAfterMs: null } as const;
    const { sent, events, sendAll } = prepare({ answer: () => refused });
    await sendAll();
    await sendAll();
    expect(sent).toHaveLength(1);
    expect(events.at(-1)).toMatchObject({ ok: false, message: 'HTTP 403' });
  });
});
