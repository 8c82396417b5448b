import type { WorkLimits } from '../work/items/limits.ts';
import { FAILURE_LIMIT, type ItemRecord, type WorkState } from '../work/items/state.ts';
import { explainWaiting, type Waiting } from '../work/items/waiting.ts';
import { createNotification, type Notification } from './notification.ts';

/** What an item asks users. */
export interface AskedQuestion {
  /** Stays the same until the item asks something else, in every process. */
  readonly id: string;
  readonly itemId: string;
  readonly title: string;
  readonly text: string;
  readonly commands: readonly string[];
}

/** Waits that are no question: an approved item can wait, and the run of a gate sends its own notification. */
const NO_QUESTIONS: readonly Waiting['code'][] = ['approved', 'gate', 'run'];
const ATTENTION = 'needs attention: ';

/** What the items ask users now. A user who stopped an item knows about it. */
export function listQuestions(state: WorkState, limits: WorkLimits): AskedQuestion[] {
  return [...state.items.values()].flatMap((known) => {
    const waiting = explainWaiting(known, { state, limits });
    if (waiting === null || !waiting.needsUser || NO_QUESTIONS.includes(waiting.code)) return [];
    const { id, title, status } = known.item;
    const isStopped = status === 'blocked' || status === 'needs-refinement';
    if (isStopped && known.statusBy !== 'engine') return [];
    const { text, command } = waiting;
    return [
      {
        id: ['work', id, known.statusSeq, waiting.code, ...distinguish(known, waiting)].join(':'),
        itemId: id,
        title,
        text: text.startsWith(ATTENTION) ? text.slice(ATTENTION.length) : text,
        commands: [`conductor work show ${id}`, ...(command === null ? [] : [command])],
      },
    ];
  });
}

/** Tells questions of one code apart while the status stays the same. */
function distinguish({ conflict, failedStarts, failures }: ItemRecord, { code }: Waiting): string[] {
  switch (code) {
    case 'stack_conflict':
      return (conflict?.stack ?? []).map(({ headSHA }) => headSHA.slice(0, 12));
    case 'failed_starts':
      return [String(Math.floor(failedStarts.length / FAILURE_LIMIT))];
    case 'failed_reviews':
      return [String(Math.floor(failures.length / FAILURE_LIMIT))];
    default:
      return [];
  }
}

export function notifyOfQuestion(question: AskedQuestion, repository: string): Notification {
  const { id, itemId, title, text, commands } = question;
  return createNotification({
    id,
    kind: 'question',
    kinds: ['question'],
    repository,
    workflow: null,
    title,
    headline: `item ${itemId} needs you`,
    asked: text,
    change: null,
    cost_usd: null,
    commands,
  });
}
