import type { PlannerResult } from '../../contracts/work/work-results.ts';
import { findRunOfItem, type ItemRecord, revisionOf, type WorkState } from '../items/state.ts';
import { transition } from '../items/status-table.ts';
import type { CommandOf, Requester } from './command.ts';
import { type Refusal, refuse } from './refusal.ts';

export function refusePlannerResult(
  state: WorkState,
  command: CommandOf<'apply_planner_result'>,
  by: Requester,
  checkPlan: (result: PlannerResult, state: WorkState) => readonly string[],
): Refusal | null {
  const inactive = refuseInactive(state, command.runId, by);
  if (inactive !== null) return inactive;
  const problems = [...planProblems(state, command.result), ...checkPlan(command.result, state)];
  if (problems.length === 0) return null;
  return refuse('result_invalid', [...new Set(problems)].join('; '));
}

/** Problems that would break the application of the plan. The contract checks more, and reports positions. */
function planProblems(state: WorkState, result: PlannerResult): string[] {
  const refs = new Set(result.create.map((planned) => planned.tempID));
  const known = (id: string) => refs.has(id) || state.items.has(id);
  return [
    ...findDuplicates(result.create.map((planned) => planned.tempID)).map(
      (id) => `the tempID ${id} is used twice`,
    ),
    ...result.create.flatMap((planned) =>
      planned.blockedBy
        .filter((id) => !known(id))
        .map((id) => `${planned.tempID} is blocked by ${id}, which does not exist`),
    ),
    ...findDuplicates(result.close).map((id) => `item ${id} is closed twice`),
    ...result.close.flatMap((id) => {
      const item = state.items.get(id)?.item;
      if (item === undefined) return [`close names item ${id}, which does not exist`];
      const verdict = transition(item.status, 'closed', 'planner');
      return verdict.ok ? [] : [`item ${id} can't be closed: ${verdict.reason}`];
    }),
    ...result.update.flatMap(({ workItemID: id }) => {
      if (!state.items.has(id)) return [`update names item ${id}, which does not exist`];
      return result.close.includes(id) ? [`item ${id} is both closed and updated`] : [];
    }),
  ];
}

function findDuplicates(ids: readonly string[]): string[] {
  return ids.filter((id, index) => ids.indexOf(id) !== index);
}

export function refuseResult(
  state: WorkState,
  command: CommandOf<'apply_implementor_result'> | CommandOf<'apply_reviewer_result'>,
  by: Requester,
): Refusal | null {
  const known = state.items.get(command.itemId);
  if (known === undefined) return refuse('unknown_item', `there is no item ${command.itemId}`);
  const inactive = refuseInactive(state, command.runId, by) ?? refuseBesideAgent(state, known, command.runId);
  if (inactive !== null) return inactive;
  return command.kind === 'apply_implementor_result'
    ? refuseImplementorResult(known, command, by)
    : refuseReviewerResult(state, known, command, by);
}

function refuseImplementorResult(
  { item }: ItemRecord,
  { result }: CommandOf<'apply_implementor_result'>,
  by: Requester,
): Refusal | null {
  // A user may submit a result for an item that no agent works on.
  const expected = by.kind === 'person' ? ['in-progress', 'ready'] : ['in-progress'];
  if (!expected.includes(item.status)) return refuseStatus(item, expected.join(' or '), by);
  const empty = by.kind === 'person' && result.outcome === 'completed' && isEmptyPatch(result.patch);
  return empty ? refuse('result_invalid', 'it reports completed and its patch is empty') : null;
}

function refuseReviewerResult(
  state: WorkState,
  { item }: ItemRecord,
  command: CommandOf<'apply_reviewer_result'>,
  by: Requester,
): Refusal | null {
  if (item.status !== 'review') return refuseStatus(item, 'review', by);
  const revision = revisionOf(state, item);
  if (revision === null || revision.id !== command.revisionId)
    return refuse('unknown_revision', `item ${item.id} has no revision ${command.revisionId}`);
  const reviewed = state.runs.get(command.runId)?.headSHA ?? revision.headSHA;
  if (reviewed === revision.headSHA) return null;
  return refuse('revision_moved', `the review is of ${reviewed}, and the revision is at ${revision.headSHA}`);
}

export function isEmptyPatch(patch: string | null): boolean {
  return patch === null || patch.trim() === '';
}

/** The engine submits a result when its run ends; a user may do so at any time. */
function refuseStatus({ id, status }: ItemRecord['item'], expected: string, by: Requester): Refusal {
  const why =
    by.kind === 'engine' ? 'its status changed during the run' : 'the result does not fit its status';
  return refuse('item_moved', `item ${id} is ${status} and not ${expected}: ${why}`);
}

function refuseInactive(state: WorkState, runId: string, by: Requester): Refusal | null {
  if (by.kind === 'person' || state.runs.has(runId)) return null;
  return refuse('run_not_active', `the run ${runId} was ended before its result came`);
}

function refuseBesideAgent(state: WorkState, { item }: ItemRecord, runId: string): Refusal | null {
  const run = findRunOfItem(state, item.id);
  if (run === null || run.runId === runId) return null;
  return refuse('item_active', `the ${run.role} of the run ${run.runId} is at work on item ${item.id}`);
}

/** Only a user merges, and only the commit that was approved. */
export function refuseMerge(state: WorkState, { itemId }: CommandOf<'merge'>, by: Requester): Refusal | null {
  if (by.kind !== 'person') return refuse('people_only', 'only a person merges');
  const known = state.items.get(itemId);
  if (known === undefined) return refuse('unknown_item', `there is no item ${itemId}`);
  if (known.item.status === 'closed') return refuse('same_status', `item ${itemId} is closed already`);
  if (known.item.status !== 'approved')
    return refuse(
      'not_approved',
      `item ${itemId} is ${known.item.status} and not approved`,
      'have it reviewed first',
    );
  const revision = revisionOf(state, known.item);
  if (revision === null) return refuse('unknown_revision', `item ${itemId} has no revision to merge`);
  if (revision.headSHA === known.approvedSHA && !revision.isDraft) return null;
  return refuse(
    'revision_moved',
    revision.isDraft
      ? `the revision of item ${itemId} is a draft`
      : `${known.approvedSHA} was approved, and the revision of item ${itemId} is at ${revision.headSHA}`,
    'close the item, or set its branch back to what was approved',
  );
}
