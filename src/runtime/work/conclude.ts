import type { RoleState } from '../../ports/role-runner.ts';
import { type AskedCommand, ENGINE, type WorkCommand } from '../../work/command.ts';
import { applyKey, giveUpKey } from '../../work/keys.ts';
import type { RoleEnd } from '../../work/role.ts';
import type { ActiveRun } from '../../work/state.ts';
import type { Executor, Outcome } from './executor.ts';

export type Conclusion =
  | { readonly kind: 'driven' }
  | { readonly kind: 'waiting'; readonly reason: string }
  /** Its result was applied or refused, or it had none and was abandoned. */
  | { readonly kind: 'ended'; readonly ok: boolean; readonly reason: string; readonly outcome: Outcome };

/** The command for a run's end; null while it has not ended. `counted` applies to an end without a result. */
export function commandAtEnd(run: ActiveRun, state: RoleState, counted: boolean): AskedCommand | null {
  switch (state.kind) {
    case 'driven':
    case 'waiting':
      return null;
    case 'lost':
      return giveUp(run, state.reason, counted);
    case 'ended':
      return state.end.ok ? applyEnd(run, state.end) : giveUp(run, state.end.reason, counted);
  }
}

export async function concludeRun(
  executor: Executor,
  run: ActiveRun,
  state: RoleState,
  counted: boolean,
): Promise<Conclusion> {
  const asked = commandAtEnd(run, state, counted);
  if (asked === null)
    return state.kind === 'waiting' ? { kind: 'waiting', reason: state.reason } : { kind: 'driven' };
  const outcome = await executor.execute(asked);
  const ok = asked.command.kind !== 'give_up_run' && outcome.kind === 'done';
  return { kind: 'ended', ok, reason: reasonOf(asked.command, outcome), outcome };
}

function reasonOf(command: WorkCommand, outcome: Outcome): string {
  if (outcome.kind === 'refused' || outcome.kind === 'failed') return outcome.reason;
  return command.kind === 'give_up_run' ? command.reason : 'its result was applied';
}

function applyEnd(run: ActiveRun, end: Extract<RoleEnd, { readonly ok: true }>): AskedCommand {
  const command = applyCommand(run, end);
  if (command === null) return giveUp(run, `it is the run of a ${run.role} and left another result`, true);
  return { key: applyKey(run.runId), by: ENGINE, command };
}

function applyCommand(run: ActiveRun, end: Extract<RoleEnd, { readonly ok: true }>): WorkCommand | null {
  const { runId, itemId, revisionId, specs } = run;
  if (end.result.role !== run.role) return null;
  switch (end.result.role) {
    case 'planner':
      return { kind: 'apply_planner_result', runId, specs, result: end.result };
    case 'implementor':
      if (itemId === null || !('base' in end)) return null;
      return { kind: 'apply_implementor_result', runId, itemId, base: end.base, result: end.result };
    case 'reviewer':
      if (itemId === null || revisionId === null) return null;
      return { kind: 'apply_reviewer_result', runId, itemId, revisionId, result: end.result };
  }
}

export function giveUp({ runId, role, itemId }: ActiveRun, reason: string, counted: boolean): AskedCommand {
  return {
    key: giveUpKey(runId),
    by: ENGINE,
    command: { kind: 'give_up_run', runId, role, itemId, reason, counted },
  };
}
