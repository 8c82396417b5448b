import type { OpenQuestion } from '../work/items/questions.ts';
import { formatQuestion } from '../work/items/waiting.ts';
import { createNotification, type Notification } from './notification.ts';

/** The notification that a work item needs a user. Its id is the journal entry that asked. */
export function notifyOfQuestion(
  { itemId, title, seq, at, waiting }: OpenQuestion,
  repository: string,
): Notification {
  const answers = waiting.command === null ? [] : [waiting.command];
  return createNotification({
    id: `work:${at}:${seq}`,
    kind: 'question',
    kinds: ['question'],
    repository,
    workflow: null,
    title,
    headline: `work item ${itemId} needs you`,
    asked: formatQuestion(waiting),
    change: null,
    cost_usd: null,
    commands: [`conductor work show ${itemId}`, ...answers],
  });
}
