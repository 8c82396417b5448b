import type { PlannerResult } from '../../contracts/work/work-results.ts';
import { countUsedSlots, findBusyItems, findOverlapAmong, type WorkLimits } from '../items/limits.ts';
import { findOpenBlockers, formatBlockers } from '../items/stack.ts';
import {
  findPlannerRun,
  findRunOfItem,
  type ItemRecord,
  revisionOf,
  type WorkState,
} from '../items/state.ts';
import { checkTransition } from '../items/status-table.ts';
import type { CommandOf, RequestedCommand } from './command.ts';
import { type Refusal, refuse } from './refusal.ts';
import {
  refuseActiveItem,
  refuseExtension,
  refuseMerge,
  refusePlannerResult,
  refuseResult,
  refuseUnknownItem,
} from './result-guards.ts';

export interface GuardContext {
  readonly limits: WorkLimits;
  /** Problems of a planner's result, checked against the current items. */
  readonly checkPlan: (result: PlannerResult, state: WorkState) => readonly string[];
}

/** The first reason why the command must not be carried out now, concurrency before policy; null if there is none. */
export function findRefusal(
  state: WorkState,
  requested: RequestedCommand,
  context: GuardContext,
): Refusal | null {
  const { command } = requested;
  switch (command.kind) {
    case 'request_planner_run':
      return refusePlanner(state, command.specs.length);
    case 'request_implementor_run':
      return refuseImplementor(state, command.itemId, requested, context);
    case 'request_reviewer_run':
      return refuseReviewer(state, command, requested, context);
    case 'accept_run':
      return refuseAccepted(state, command, requested, context);
    case 'apply_planner_result':
      return refusePlannerResult(state, command, requested.by, context.checkPlan);
    case 'apply_implementor_result':
    case 'apply_reviewer_result':
      return refuseResult(state, command, requested.by);
    case 'give_up_run':
      return state.runs.has(command.runId)
        ? null
        : refuse('run_not_active', `run ${command.runId} has already ended`);
    case 'transition':
      return refuseTransition(state, command, requested);
    case 'extend_scope':
      return refuseExtension(state, command, requested.by);
    case 'merge':
      return refuseMerge(state, command, requested.by);
    case 'cancel_run':
      return refuseCancel(state, command.itemId);
  }
}

function refusePlanner(state: WorkState, specs: number): Refusal | null {
  const active = findPlannerRun(state);
  if (active !== null)
    return refuse(
      'planner_active',
      `a planner is already running: run ${active.runId}`,
      'wait until it ends',
    );
  if (specs > 0) return null;
  return refuse(
    'nothing_to_plan',
    'there is no approved spec',
    'set `status: approved` in the front matter of a spec and commit it',
  );
}

function refuseAccepted(
  state: WorkState,
  command: CommandOf<'accept_run'>,
  requested: RequestedCommand,
  context: GuardContext,
): Refusal | null {
  const { role, itemId, revisionId } = command;
  if (role === 'planner') return refusePlanner(state, command.specs.length);
  if (itemId === null) return refuseUnknownItem('');
  if (role === 'implementor') return refuseImplementor(state, itemId, requested, context);
  return refuseReviewer(state, { itemId, revisionId: revisionId ?? '' }, requested, context);
}

function refuseImplementor(
  state: WorkState,
  itemId: string,
  requested: RequestedCommand,
  context: GuardContext,
): Refusal | null {
  const known = state.items.get(itemId);
  if (known === undefined) return refuseUnknownItem(itemId);
  const active = refuseActiveItem(state, itemId);
  if (active !== null) return active;
  if (known.item.type === 'refinement')
    return refuse(
      'not_code',
      `item ${itemId} is a question about a spec, not code to write`,
      'answer it in the spec, then move the item to closed',
    );
  const open = refuseOpenBlockers(state, known);
  if (open !== null) return open;
  const verdict = checkTransition(known.item.status, 'in-progress', requested.by.kind);
  if (!verdict.ok) return refuse(verdict.code, `item ${itemId}: ${verdict.reason}`, suggestNext(known));
  const busy = findBusyItems(state, { ...context.limits, starting: new Map() });
  const overlap = findOverlapAmong(state, context.limits, known, busy);
  if (overlap !== null)
    return refuse(
      'scope_overlap',
      `item ${itemId} is waiting: item ${overlap.itemId} is changing ${overlap.path}`,
      `wait until item ${overlap.itemId} is in review`,
    );
  return refuseWithoutSlot(state, requested, context);
}

/** What the user can do about an item that no agent can work on. */
function suggestNext({ item: { id, status } }: ItemRecord): string | null {
  if (status === 'approved') return `merge it: conductor work merge ${id}`;
  return status === 'blocked' || status === 'needs-refinement'
    ? `resolve the reason, then: conductor work transition ${id} pending --reason "…"`
    : null;
}

function refuseReviewer(
  state: WorkState,
  { itemId, revisionId }: { readonly itemId: string; readonly revisionId: string },
  requested: RequestedCommand,
  context: GuardContext,
): Refusal | null {
  const known = state.items.get(itemId);
  if (known === undefined) return refuseUnknownItem(itemId);
  const active = refuseActiveItem(state, itemId);
  if (active !== null) return active;
  if (known.item.status !== 'review')
    return refuse('illegal_transition', `item ${itemId} is ${known.item.status}, not in review`);
  const revision = revisionOf(state, known.item);
  if (revision === null || revision.id !== revisionId)
    return refuse('unknown_revision', `item ${itemId} has no revision ${revisionId}`);
  if (revision.pipeline.status !== 'success')
    return refuse(
      'checks_not_passed',
      `the checks of item ${itemId} have not passed; their status is ${revision.pipeline.status}`,
    );
  return refuseWithoutSlot(state, requested, context);
}

/** The limit applies to runs that the engine starts itself: a run that a user requests always starts. */
function refuseWithoutSlot(
  state: WorkState,
  requested: RequestedCommand,
  context: GuardContext,
): Refusal | null {
  if (requested.by.kind === 'person') return null;
  const { slots } = context.limits;
  const active = countUsedSlots(state, { ...context.limits, starting: new Map() });
  return active < slots ? null : refuse('no_free_place', `no free slot: ${active} of ${slots} are in use`);
}

function refuseOpenBlockers(state: WorkState, known: ItemRecord): Refusal | null {
  const open = findOpenBlockers(state, known.item);
  if (open.length === 0) return null;
  return refuse('blockers_open', `item ${known.item.id} is blocked by ${formatBlockers(state, open)}`);
}

function refuseTransition(
  state: WorkState,
  command: CommandOf<'transition'>,
  { by }: RequestedCommand,
): Refusal | null {
  const known = state.items.get(command.itemId);
  if (known === undefined) return refuseUnknownItem(command.itemId);
  const verdict = checkTransition(known.item.status, command.to, by.kind);
  if (!verdict.ok) {
    const help = verdict.legal.length === 0 ? null : `move it to ${verdict.legal.join(' or ')}`;
    return refuse(verdict.code, `item ${command.itemId}: ${verdict.reason}`, help);
  }
  if (command.to === 'ready') return refuseOpenBlockers(state, known);
  if (command.to === 'review' && revisionOf(state, known.item) === null)
    return refuse(
      'unknown_revision',
      `item ${command.itemId} has no revision to review`,
      `have it implemented: conductor work transition ${command.itemId} pending --reason "…"`,
    );
  // A transition of the engine for a lost run must not affect a run that was accepted since.
  const orphan = by.kind === 'engine' && known.item.status === 'in-progress';
  return orphan ? refuseActiveItem(state, command.itemId) : null;
}

function refuseCancel(state: WorkState, itemId: string): Refusal | null {
  if (!state.items.has(itemId)) return refuseUnknownItem(itemId);
  return findRunOfItem(state, itemId) === null
    ? refuse('no_active_run', `no run is active on item ${itemId}`)
    : null;
}
