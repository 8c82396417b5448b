import type { WaitingCode } from '../../contracts/work/work-item.ts';
import type { ItemRecord } from './state.ts';
import { explainWaiting, type Waiting, type WaitingContext } from './waiting.ts';

/** An item that stopped and needs a user. */
export interface OpenQuestion {
  readonly itemId: string;
  readonly title: string;
  /** The entry of the journal that asked. */
  readonly seq: number;
  readonly at: string;
  readonly notified: readonly string[];
  readonly waiting: Waiting;
}

/** A run at a gate has a notification of its own, and approved work is finished. */
const NO_QUESTION: readonly WaitingCode[] = ['gate', 'run', 'approved'];

export function findOpenQuestions(context: WaitingContext): readonly OpenQuestion[] {
  return [...context.state.items.values()].flatMap((known) => findOpenQuestion(known, context) ?? []);
}

function findOpenQuestion(known: ItemRecord, context: WaitingContext): OpenQuestion | null {
  const { question, item } = known;
  if (question === null) return null;
  const waiting = explainWaiting(known, context);
  if (waiting === null || !waiting.needsUser || NO_QUESTION.includes(waiting.code)) return null;
  return { itemId: item.id, title: item.title, ...question, waiting };
}
