import type { TransitionCode } from '../items/status-table.ts';

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
  | 'not_approved';

/** Why a command is not carried out. `help` is for a user who requested it. */
export interface Refusal {
  readonly code: RefusalCode;
  readonly reason: string;
  readonly help: string | null;
}

export function refuse(code: RefusalCode, reason: string, help: string | null = null): Refusal {
  return { code, reason, help };
}
