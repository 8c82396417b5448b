import type { PlannerResult } from '../../contracts/work/work-results.ts';
import { readBody } from '../bodies/body.ts';
import { findOpenBlockers, findStaleBlocker, findUnmergedBlockers, formatBlockers } from '../items/stack.ts';
import { findRunOfItem, type ItemRecord, revisionOf, type WorkState } from '../items/state.ts';
import { checkTransition } from '../items/status-table.ts';
import { createCoverage, entryPath, findCoveringEntry } from '../scope/coverage.ts';
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
  const problems = [...checkPlan(command.result, state), ...findForbiddenClosings(state, command.result)];
  return problems.length === 0 ? null : refuse('result_invalid', problems.join('; '));
}

/** Items that a planner may not close. The contract checks everything else. */
function findForbiddenClosings(state: WorkState, { close }: PlannerResult): readonly string[] {
  return close.flatMap((id) => {
    const item = state.items.get(id)?.item;
    const verdict = item === undefined ? null : checkTransition(item.status, 'closed', 'planner');
    return verdict === null || verdict.ok ? [] : [`item ${id} can't be closed: ${verdict.reason}`];
  });
}

export function refuseResult(
  state: WorkState,
  command: CommandOf<'apply_implementor_result'> | CommandOf<'apply_reviewer_result'>,
  by: Requester,
): Refusal | null {
  const known = state.items.get(command.itemId);
  if (known === undefined) return refuseUnknownItem(command.itemId);
  const inactive =
    refuseInactive(state, command.runId, by) ?? refuseActiveItem(state, command.itemId, command.runId);
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
  return empty ? refuse('result_invalid', 'the outcome is completed, but the patch is empty') : null;
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
  return refuse(
    'revision_moved',
    `the review is for ${reviewed}, but the revision is at ${revision.headSHA}`,
  );
}

export function isEmptyPatch(patch: string | null): boolean {
  return patch === null || patch.trim() === '';
}

/** The engine submits a result when its run ends; a user may do so at any time. */
function refuseStatus({ id, status }: ItemRecord['item'], expected: string, by: Requester): Refusal {
  const why =
    by.kind === 'engine' ? 'its status changed during the run' : 'the result does not fit its status';
  return refuse('item_moved', `item ${id} is ${status}, not ${expected}: ${why}`);
}

function refuseInactive(state: WorkState, runId: string, by: Requester): Refusal | null {
  if (by.kind === 'person' || state.runs.has(runId)) return null;
  return refuse('run_not_active', `run ${runId} ended before its result arrived`);
}

/** Refuses a second run for an item; `own` is the run that a result belongs to. */
export function refuseActiveItem(state: WorkState, itemId: string, own?: string): Refusal | null {
  const run = findRunOfItem(state, itemId);
  if (run === null || run.runId === own) return null;
  return refuse(
    'item_active',
    `run ${run.runId} (${run.role}) is active on item ${itemId}`,
    `wait until it ends, or cancel it: conductor cancel ${run.runId}`,
  );
}

export function refuseUnknownItem(itemId: string): Refusal {
  return refuse('unknown_item', `there is no item ${itemId}`, 'list the items: conductor work list');
}

/** Only a user merges, and only the commit that was approved. */
export function refuseMerge(state: WorkState, { itemId }: CommandOf<'merge'>, by: Requester): Refusal | null {
  if (by.kind !== 'person') return refuse('people_only', 'only a user can merge');
  const known = state.items.get(itemId);
  if (known === undefined) return refuseUnknownItem(itemId);
  if (known.item.status === 'closed') return refuse('same_status', `item ${itemId} is already closed`);
  if (known.item.status !== 'approved')
    return refuse(
      'not_approved',
      `item ${itemId} is ${known.item.status}, not approved`,
      `review it first: conductor work review ${itemId}`,
    );
  const revision = revisionOf(state, known.item);
  if (revision === null) return refuse('unknown_revision', `item ${itemId} has no revision to merge`);
  const blocked = refuseUnmergedBlockers(state, known);
  if (blocked !== null) return blocked;
  if (revision.headSHA === known.approvedSHA && !revision.isDraft) return null;
  return refuse(
    'revision_moved',
    revision.isDraft
      ? `the revision of item ${itemId} is a draft`
      : `the approval is for ${known.approvedSHA}, but the revision of item ${itemId} is at ${revision.headSHA}`,
    'reset its branch to the approved commit, or close the item',
  );
}

/** An item is merged after its blockers, whose commits its branch contains. */
function refuseUnmergedBlockers(state: WorkState, known: ItemRecord): Refusal | null {
  const { id } = known.item;
  const stale = findStaleBlocker(state, known);
  if (stale !== null)
    return refuse('revision_stale', `item ${id} is built on item ${stale}, which has changed since`);
  const open = findOpenBlockers(state, known.item);
  if (open.length > 0)
    return refuse('blockers_open', `item ${id} is blocked by ${formatBlockers(state, open)}`);
  const unmerged = findUnmergedBlockers(state, known.item).map(({ item }) => item.id);
  if (unmerged.length === 0) return null;
  return refuse(
    'blockers_unmerged',
    `item ${id} is built on items that are not merged: ${unmerged.join(', ')}`,
    `merge them first: conductor work merge ${id} --with-blockers`,
  );
}

/** A user may allow further paths, but not what the item excludes. */
export function refuseExtension(
  state: WorkState,
  { itemId, path }: CommandOf<'extend_scope'>,
  by: Requester,
): Refusal | null {
  if (by.kind !== 'person') return refuse('people_only', 'only a user can extend the scope of an item');
  const known = state.items.get(itemId);
  if (known === undefined) return refuseUnknownItem(itemId);
  const wanted = entryPath(path);
  const isOutside = path.trim().startsWith('/') || wanted.split('/').includes('..');
  if (wanted === '' || isOutside || /\p{Cc}/u.test(path))
    return refuse(
      'path_invalid',
      `${JSON.stringify(path)} is not a path in the repository`,
      'write a file, a folder or a glob relative to the root of the repository',
    );
  const excluded = createCoverage({ isFolder: () => null, paths: [wanted] }, true);
  const entry = findCoveringEntry(readBody(known.body).outOfScope, wanted, excluded);
  if (entry === null) return null;
  return refuse(
    'path_out_of_scope',
    `${wanted} is under Out of Scope of item ${itemId}: ${entry.path} (line ${entry.line})`,
    'an extension never covers what is out of scope: edit the body of the item',
  );
}
