import type { WorkEvent } from '../../contracts/work/work-event.ts';
import type { ActiveRun, ItemRecord, StackConflict, WorkState } from '../items/state.ts';
import {
  type CommandOf,
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

/** The command for a run's end; null while it has not ended. `countsAsFailure` applies to an end without a result. */
export function createEndCommand(
  run: ActiveRun,
  state: RoleState,
  { countsAsFailure, maxRounds }: { readonly countsAsFailure: boolean; readonly maxRounds: number },
): RequestedCommand | null {
  switch (state.kind) {
    case 'driven':
    case 'waiting':
      return null;
    case 'lost':
      return createGiveUpCommand(run, state.reason, countsAsFailure);
    case 'ended':
      return state.end.ok
        ? createResultCommand(run, state.end, maxRounds)
        : createGiveUpCommand(run, state.end.reason, countsAsFailure);
  }
}

type GoodEnd = Extract<RoleEnd, { readonly ok: true }>;

function createResultCommand(run: ActiveRun, end: GoodEnd, maxRounds: number): RequestedCommand {
  const command = createApplyCommand(run, end, maxRounds);
  if (command === null)
    return createGiveUpCommand(run, `the ${run.role} run returned the result of another role`, true);
  return { key: applyKey(run.runId), by: ENGINE, command };
}

/** The command for an implementor's result, from a run or from a user. */
export function createImplementorCommand(
  runId: string,
  itemId: string,
  { base, stackedOn, result }: Extract<GoodEnd, { readonly base: string }>,
): CommandOf<'apply_implementor_result'> {
  const stack = stackedOn === undefined ? {} : { stackedOn };
  return { kind: 'apply_implementor_result', runId, itemId, base, ...stack, result };
}

function createApplyCommand(run: ActiveRun, end: GoodEnd, maxRounds: number): WorkCommand | null {
  const { runId, itemId, revisionId, specs } = run;
  if (end.result.role !== run.role) return null;
  switch (end.result.role) {
    case 'planner':
      return { kind: 'apply_planner_result', runId, specs, result: end.result };
    case 'implementor':
      if (itemId === null || !('base' in end)) return null;
      return createImplementorCommand(runId, itemId, end);
    case 'reviewer':
      if (itemId === null || revisionId === null) return null;
      return { kind: 'apply_reviewer_result', runId, itemId, revisionId, result: end.result, maxRounds };
  }
}

export function createGiveUpCommand(
  { runId, role, itemId }: ActiveRun,
  reason: string,
  countsAsFailure: boolean,
): RequestedCommand {
  return {
    key: giveUpKey(runId),
    by: ENGINE,
    command: { kind: 'give_up_run', runId, role, itemId, reason, counted: countsAsFailure },
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
    stackedOn: [],
  };
}

/** Adds a run that has its id to the journal. */
export function createAcceptCommand(requested: RequestedRun, runId: string): RequestedCommand {
  const { headSHA: _, stackedOn: __, ...run } = toActiveRun(requested, runId);
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

export function toGivenItem({ item, body, extensions }: ItemRecord): GivenItem {
  return { item, body, extensions };
}

/** Records that the blockers of an item can't be merged into one base. */
export function createConflictEvent({ command }: RequestedRun, conflict: StackConflict): WorkEvent {
  return {
    type: 'stack_conflicted',
    item_id: itemOf(command) ?? '',
    items: [...conflict.items],
    files: [...conflict.files],
    stack: [...conflict.stack],
  };
}
