import type { WorkEvent } from '../../contracts/work/work-event.ts';
import type { WorkState } from '../items/state.ts';
import type { TransitionCode } from '../items/status-table.ts';
import { createRunEndEvents } from './apply/change.ts';
import { itemOf, nameOf, type RequestedCommand } from './command.ts';

/** Each is a guard or a policy rule. */
export type RefusalCode =
  | TransitionCode
  | 'unknown_item'
  | 'unknown_revision'
  | 'planner_active'
  | 'item_active'
  | 'no_active_run'
  | 'run_not_active'
  | 'item_moved'
  | 'revision_moved'
  | 'scope_overlap'
  | 'no_free_place'
  | 'blockers_open'
  | 'not_code'
  | 'nothing_to_plan'
  | 'result_invalid'
  | 'checks_not_passed'
  | 'not_approved'
  | 'blockers_unmerged'
  | 'revision_stale'
  | 'path_invalid'
  | 'path_out_of_scope';

/** Why a command is not carried out. `help` is for a user who requested it. */
export interface Refusal {
  readonly code: RefusalCode;
  readonly reason: string;
  readonly help: string | null;
}

export function refuse(code: RefusalCode, reason: string, help: string | null = null): Refusal {
  return { code, reason, help };
}

/**
 * The journal events of a refusal. A run whose result is refused has ended nevertheless, and its summary is
 * kept. A repeated refusal is not recorded again.
 */
export function createRefusalEvents(
  state: WorkState,
  requested: RequestedCommand,
  refusal: Refusal,
): readonly WorkEvent[] {
  const { key, by, command } = requested;
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
  return [refused, ...(by.kind === 'engine' ? createEndEvents(state, requested, refusal) : [])];
}

function createEndEvents(
  state: WorkState,
  { command }: RequestedCommand,
  refusal: Refusal,
): readonly WorkEvent[] {
  const end = { ok: false, countsAsFailure: refusal.code === 'result_invalid', reason: refusal.reason };
  switch (command.kind) {
    case 'apply_planner_result':
    case 'apply_reviewer_result':
      return createRunEndEvents(state, command.runId, end);
    case 'apply_implementor_result': {
      const { itemId, runId, result } = command;
      const summaryEvents: readonly WorkEvent[] = state.items.has(itemId)
        ? [{ type: 'summary_kept', item_id: itemId, run_id: runId, summary: result.summary }]
        : [];
      return [...summaryEvents, ...createRunEndEvents(state, runId, end)];
    }
    case 'request_planner_run':
    case 'request_implementor_run':
    case 'request_reviewer_run':
    case 'accept_run':
    case 'give_up_run':
    case 'transition':
    case 'extend_scope':
    case 'merge':
    case 'cancel_run':
      return [];
  }
}
