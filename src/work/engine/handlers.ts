import type { WorkEvent } from '../../contracts/work/work-event.ts';
import { PRIORITIES, type Revision, type Spec, type WorkStatus } from '../../contracts/work/work-item.ts';
import {
  countUsedSlots,
  findBusyItems,
  findOverlapAmong,
  isSelected,
  type WorkLimits,
} from '../items/limits.ts';
import { findConflict, findOpenBlockers, findStaleBlocker } from '../items/stack.ts';
import {
  countFailedReviews,
  FAILURE_LIMIT,
  findApprovedSpecs,
  findPlannerRun,
  findRunOfItem,
  type ItemRecord,
  reviewOfHead,
  revisionOf,
  specsKey,
  type WorkState,
} from '../items/state.ts';
import { isTerminal } from '../items/status-table.ts';
import { decideAfterFailure } from './apply/change.ts';
import { ENGINE, type RequestedCommand } from './command.ts';
import { requestKey, transitionKey } from './keys.ts';

/**
 * `looked` is in no journal: it makes a handler check everything, so that no action depends on having seen an
 * event live.
 */
type HandledEvent = WorkEvent | { readonly type: 'looked' };

/** Sees one snapshot and has no side effects. Its requests don't depend on those of other handlers. */
export type Handler = (
  event: HandledEvent,
  state: WorkState,
  limits: WorkLimits,
) => readonly RequestedCommand[];

function moveItem(known: ItemRecord, to: WorkStatus, reason: string): RequestedCommand {
  return {
    key: transitionKey(known, to),
    by: ENGINE,
    command: { kind: 'transition', itemId: known.item.id, to, reason },
  };
}

/** An item in progress without a run goes back to pending, so that its readiness is checked again. */
export const handleOrphans: Handler = (event, state, limits) => {
  if (event.type !== 'looked' && event.type !== 'run_ended') return [];
  return [...state.items.values()]
    .filter(({ item }) => item.status === 'in-progress' && !limits.starting.has(item.id))
    .filter(({ item }) => findRunOfItem(state, item.id) === null)
    .map((known) => moveItem(known, 'pending', 'no run is active on it'));
};

/** An item that is pending and whose blockers are all terminal becomes ready. */
export const handleReadiness: Handler = (event, state) => {
  const ids =
    event.type === 'looked'
      ? state.items.keys()
      : event.type === 'item_created'
        ? [event.item.id]
        : event.type === 'item_linked' || (event.type === 'status_changed' && event.to === 'pending')
          ? [event.item_id]
          : [];
  return [...ids].flatMap((id) => {
    const known = state.items.get(id);
    if (known?.item.status !== 'pending' || findOpenBlockers(state, known.item).length > 0) return [];
    return [moveItem(known, 'ready', 'no open blocker')];
  });
};

/** When an item becomes terminal, pending items that waited only for it become ready. */
export const handleDependencies: Handler = (event, state) => {
  const ended = event.type === 'status_changed' && isTerminal(event.to) ? event.item_id : null;
  if (event.type !== 'looked' && ended === null) return [];
  return [...state.items.values()]
    .filter(({ item }) => item.status === 'pending' && item.blockedBy.length > 0)
    .filter(({ item }) => ended === null || item.blockedBy.includes(ended))
    .filter(({ item }) => findOpenBlockers(state, item).length === 0)
    .map((known) => moveItem(known, 'ready', 'no open blocker'));
};

const UNDONE_IF_STALE: readonly WorkStatus[] = ['review', 'approved'];

/** Finished work that is built on a changed blocker is stale and goes back to pending. */
const handleStaleWork: Handler = (event, state) => {
  const concerns = ['looked', 'revision_made', 'status_changed', 'review_posted'];
  if (!concerns.includes(event.type)) return [];
  return [...state.items.values()].flatMap((known) => {
    if (!UNDONE_IF_STALE.includes(known.item.status)) return [];
    const blocker = findStaleBlocker(state, known);
    if (blocker === null) return [];
    return [moveItem(known, 'pending', `stale: item ${blocker} changed after this was built on it`)];
  });
};

/** For an item in review: requests a reviewer if its checks passed, and moves the item if they failed. */
export const handleReview: Handler = (event, state, limits) => {
  const concerns = ['looked', 'pipeline_changed', 'status_changed', 'run_ended', 'revision_made'];
  if (!concerns.includes(event.type)) return [];
  const freeSlots = limits.slots - countUsedSlots(state, limits);
  const requests = findReviewableItems(state, limits).map(
    ({ known, revision }): RequestedCommand => ({
      key: `${requestKey('reviewer', known)}/${revision.headSHA}`,
      by: ENGINE,
      command: { kind: 'request_reviewer_run', itemId: known.item.id, revisionId: revision.id },
    }),
  );
  return [...requestMovesAfterChecks(state, limits), ...requests.slice(0, Math.max(freeSlots, 0))];
};

interface Reviewable {
  readonly known: ItemRecord;
  readonly revision: Revision;
}

/**
 * Items that a reviewer could review now. A commit with a verdict is not reviewed again automatically, and a review
 * that failed three times is left to a user.
 */
function findReviewableItems(state: WorkState, limits: WorkLimits): readonly Reviewable[] {
  return listItemsInReview(state, limits).filter(
    ({ known, revision }) =>
      isSelected(limits, known.item.id) &&
      revision.pipeline.status === 'success' &&
      reviewOfHead(state, revision) === null &&
      findStaleBlocker(state, known) === null &&
      countFailedReviews(known) < FAILURE_LIMIT &&
      known.failedStarts.length < FAILURE_LIMIT,
  );
}

function requestMovesAfterChecks(state: WorkState, limits: WorkLimits): readonly RequestedCommand[] {
  return listItemsInReview(state, limits)
    .filter(({ revision }) => revision.pipeline.status === 'failure')
    .map(({ known, revision }) => {
      const reason = `its checks failed: ${revision.pipeline.reason ?? 'no reason was given'}`;
      const next = decideAfterFailure('review', known.failures, reason);
      return moveItem(known, next.to, next.reason);
    });
}

function listItemsInReview(state: WorkState, limits: WorkLimits): readonly Reviewable[] {
  const busy = findBusyItems(state, limits);
  return [...state.items.values()].flatMap((known) => {
    const revision = known.item.status === 'review' ? revisionOf(state, known.item) : null;
    return revision === null || busy.has(known.item.id) ? [] : [{ known, revision }];
  });
}

/**
 * Requests runs for ready items, by priority and then by creation order. Reviews come before new work, so
 * that started work is finished first.
 */
export const handleImplementation: Handler = (event, state, limits) => {
  if (event.type !== 'looked' && event.type !== 'status_changed' && event.type !== 'run_ended') return [];
  const busy = new Map(findBusyItems(state, limits));
  let freeSlots = limits.slots - countUsedSlots(state, limits) - findReviewableItems(state, limits).length;
  const requested: RequestedCommand[] = [];
  for (const known of listReadyItems(state).filter(({ item }) => isSelected(limits, item.id))) {
    if (freeSlots <= 0) break;
    const { id } = known.item;
    if (busy.has(id) || findOverlapAmong(state, limits, known, busy) !== null) continue;
    busy.set(id, 'implementor');
    freeSlots -= 1;
    requested.push({
      key: requestKey('implementor', known),
      by: ENGINE,
      command: { kind: 'request_implementor_run', itemId: id },
    });
  }
  return requested;
};

/** A refinement is a question for users, so no agent gets one. */
function listReadyItems(state: WorkState): readonly ItemRecord[] {
  return [...state.items.values()]
    .filter(({ item }) => item.status === 'ready' && item.type === 'implement')
    .filter(({ failedStarts }) => failedStarts.length < FAILURE_LIMIT)
    .filter(({ item }) => findOpenBlockers(state, item).length === 0)
    .filter((known) => findConflict(state, known) === null)
    .toSorted((a, b) => PRIORITIES.indexOf(a.item.priority) - PRIORITIES.indexOf(b.item.priority));
}

/** If an approved spec changed since it was planned, requests one run with all approved specs. */
export const handlePlanning: Handler = (event, state, limits) => {
  const concerns = event.type === 'looked' || event.type === 'specs_seen' || event.type === 'run_ended';
  if (!concerns || limits.startsPlanner || findPlannerRun(state) !== null) return [];
  const specs = findApprovedSpecs(state);
  const failures = listPlanFailures(state, specs);
  if (findUnplannedSpecs(state).length === 0 || failures.length >= FAILURE_LIMIT) return [];
  return [
    {
      key: `request/planner/${failures.length}/${specsKey(specs)}`,
      by: ENGINE,
      command: { kind: 'request_planner_run', specs },
    },
  ];
};

export function findUnplannedSpecs(state: WorkState): readonly Spec[] {
  return findApprovedSpecs(state).filter((spec) => state.planned.get(spec.filePath) !== spec.blobSHA);
}

/** Why planning has stopped, for users; null if it has not. */
export function explainPlanningStop(state: WorkState): string | null {
  const failures = listPlanFailures(state, findApprovedSpecs(state));
  if (failures.length < FAILURE_LIMIT || findUnplannedSpecs(state).length === 0) return null;
  return `planning has stopped: ${failures.length} planner runs in a row failed with these specs: ${failures.at(-1)}`;
}

function listPlanFailures(state: WorkState, specs: readonly Spec[]): readonly string[] {
  return state.planFailures.specs === specsKey(specs) ? state.planFailures.reasons : [];
}

const HANDLERS: readonly Handler[] = [
  handleOrphans,
  handleReadiness,
  handleDependencies,
  handleStaleWork,
  handleReview,
  handleImplementation,
  handlePlanning,
];

/** The commands that all handlers request after these events, without duplicates. */
export function collectCommands(
  events: readonly HandledEvent[],
  state: WorkState,
  limits: WorkLimits,
): readonly RequestedCommand[] {
  const byKey = new Map<string, RequestedCommand>();
  for (const event of events)
    for (const handler of HANDLERS)
      for (const requested of handler(event, state, limits))
        if (!state.doneKeys.has(requested.key)) byKey.set(requested.key, requested);
  return [...byKey.values()];
}
