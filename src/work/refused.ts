import type { WorkEvent } from '../contracts/work/work-event.ts';
import { endRun } from './apply/change.ts';
import { type AskedCommand, itemOf, nameOf } from './command.ts';
import type { Refusal } from './refusal.ts';
import type { WorkState } from './state.ts';

/**
 * The journal events of a refusal. A run whose result is refused has ended nevertheless, and its summary is
 * kept. A repeated refusal is not recorded again.
 */
export function refusalEvents(state: WorkState, asked: AskedCommand, refusal: Refusal): readonly WorkEvent[] {
  const { key, by, command } = asked;
  const { code, reason } = refusal;
  if (state.refusals.get(key) === `${code}: ${reason}`) return [];
  const refused: WorkEvent = {
    type: 'command_refused',
    key,
    by: nameOf(by),
    kind: command.kind,
    item_id: itemOf(command),
    code,
    reason,
  };
  return [refused, ...(by.kind === 'engine' ? runEndEvents(state, asked, refusal) : [])];
}

function runEndEvents(state: WorkState, { command }: AskedCommand, refusal: Refusal): readonly WorkEvent[] {
  const end = { ok: false, counted: refusal.code === 'result_invalid', reason: refusal.reason };
  switch (command.kind) {
    case 'apply_planner_result':
    case 'apply_reviewer_result':
      return endRun(state, command.runId, end);
    case 'apply_implementor_result': {
      const { itemId, runId, result } = command;
      const summaryKept: readonly WorkEvent[] = state.items.has(itemId)
        ? [{ type: 'summary_kept', item_id: itemId, run_id: runId, summary: result.summary }]
        : [];
      return [...summaryKept, ...endRun(state, runId, end)];
    }
    case 'request_planner_run':
    case 'request_implementor_run':
    case 'request_reviewer_run':
    case 'accept_run':
    case 'give_up_run':
    case 'transition':
    case 'merge':
    case 'cancel_run':
      return [];
  }
}
