import type { ActiveRun, ItemRecord, WorkState } from '../items/state.ts';
import {
  ENGINE,
  itemOf,
  type RequestedCommand,
  type RequestedRun,
  roleOf,
  type WorkCommand,
} from './command.ts';
import { drivesRun, type EngineState } from './engine-state.ts';
import { acceptKey, applyKey, giveUpKey } from './keys.ts';
import type { Conclusion, Outcome, RunToSee } from './protocol.ts';
import type { GivenItem, RoleEnd, RoleState, RoleSubject } from './role.ts';

/** The command for a run's end; null while it has not ended. `counted` applies to an end without a result. */
export function createEndCommand(
  run: ActiveRun,
  state: RoleState,
  counted: boolean,
): RequestedCommand | null {
  switch (state.kind) {
    case 'driven':
    case 'waiting':
      return null;
    case 'lost':
      return createGiveUpCommand(run, state.reason, counted);
    case 'ended':
      return state.end.ok
        ? createResultCommand(run, state.end)
        : createGiveUpCommand(run, state.end.reason, counted);
  }
}

type GoodEnd = Extract<RoleEnd, { readonly ok: true }>;

function createResultCommand(run: ActiveRun, end: GoodEnd): RequestedCommand {
  const command = createApplyCommand(run, end);
  if (command === null)
    return createGiveUpCommand(run, `the ${run.role} run returned the result of another role`, true);
  return { key: applyKey(run.runId), by: ENGINE, command };
}

function createApplyCommand(run: ActiveRun, end: GoodEnd): WorkCommand | null {
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

export function createGiveUpCommand(
  { runId, role, itemId }: ActiveRun,
  reason: string,
  counted: boolean,
): RequestedCommand {
  return {
    key: giveUpKey(runId),
    by: ENGINE,
    command: { kind: 'give_up_run', runId, role, itemId, reason, counted },
  };
}

/** What became of a run after the command for its end. */
export function concludeRun(command: WorkCommand, outcome: Outcome): Conclusion {
  const ok = command.kind !== 'give_up_run' && outcome.kind === 'done';
  return { kind: 'ended', ok, reason: explainEnd(command, outcome), outcome };
}

function explainEnd(command: WorkCommand, outcome: Outcome): string {
  if (outcome.kind === 'refused' || outcome.kind === 'failed') return outcome.reason;
  return command.kind === 'give_up_run' ? command.reason : 'result applied';
}

/** Why a run that its runner left in this state did not get further. */
export function describeState(state: RoleState): string {
  if (state.kind === 'ended') return state.end.ok ? 'it ended before it was accepted' : state.end.reason;
  return state.kind === 'driven' ? 'another process drives it' : state.reason;
}

/** A requested run as the journal has it once it is accepted. */
export function toActiveRun({ command }: RequestedRun, runId: string): ActiveRun {
  return {
    runId,
    role: roleOf(command),
    itemId: itemOf(command),
    specs: command.kind === 'request_planner_run' ? command.specs : [],
    revisionId: command.kind === 'request_reviewer_run' ? command.revisionId : null,
    headSHA: null,
  };
}

/** Adds a run that has its id to the journal. */
export function createAcceptCommand(requested: RequestedRun, runId: string): RequestedCommand {
  const { headSHA: _, ...run } = toActiveRun(requested, runId);
  return { key: acceptKey(runId), by: requested.by, command: { kind: 'accept_run', ...run } };
}

/** Accepted runs that this process does not drive and whose items still exist. */
export function listRunsToSee(work: WorkState, engine: EngineState): readonly RunToSee[] {
  return [...work.runs.values()].flatMap((run) => {
    const subject = drivesRun(engine, run.runId) ? null : describeSubject(work, run);
    return subject === null ? [] : [{ runId: run.runId, subject }];
  });
}

/** What the result of an accepted run is checked against; null if its item is gone. */
export function describeSubject(state: WorkState, run: ActiveRun): RoleSubject | null {
  if (run.role === 'planner') return { role: 'planner', items: [...state.items.values()].map(toGivenItem) };
  const known = run.itemId === null ? undefined : state.items.get(run.itemId);
  return known === undefined ? null : { role: run.role, item: toGivenItem(known) };
}

export function toGivenItem({ item, body }: ItemRecord): GivenItem {
  return { item, body };
}
