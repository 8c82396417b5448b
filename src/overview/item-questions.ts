import type { WorkLimits } from '../work/items/limits.ts';
import type { WorkState } from '../work/items/state.ts';
import { explainWaiting, formatQuestion } from '../work/items/waiting.ts';
import type { ItemQuestion } from './compose-report.ts';

/**
 * The work items that wait for a user, each with the commands that answer. An item whose run waits at a gate is left
 * out: the line of the run asks for it.
 */
export function listItemQuestions(state: WorkState, limits: WorkLimits): ItemQuestion[] {
  return [...state.items.values()].flatMap((known) => {
    const waiting = explainWaiting(known, { state, limits });
    if (waiting === null || !waiting.needsUser || waiting.code === 'gate') return [];
    const { id, title, status } = known.item;
    const { command } = waiting;
    const answers = command === null ? [] : [command];
    return [
      {
        itemId: id,
        title,
        status,
        question: formatQuestion(waiting),
        commands: [`conductor work show ${id}`, ...answers],
      },
    ];
  });
}
