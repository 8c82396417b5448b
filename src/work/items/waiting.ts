import { countUsedSlots, findBusyItems, findOverlapAmong, type WorkLimits } from './limits.ts';
import {
  FAILURE_LIMIT,
  findOpenBlockers,
  findRunOfItem,
  formatBlockers,
  type ItemRecord,
  reviewOfHead,
  revisionOf,
  type WorkState,
} from './state.ts';

/** Why an item waits, for users; null if work on it is in progress. */
export function explainWait(state: WorkState, known: ItemRecord, limits: WorkLimits): string | null {
  switch (known.item.status) {
    case 'pending':
      return explainPending(state, known);
    case 'ready':
      return explainReady(state, known, limits);
    case 'in-progress':
      return explainWaitingRun(state, known, limits);
    case 'review':
      return explainReview(state, known, limits);
    case 'approved':
      return `approved; merge it: conductor work merge ${known.item.id}`;
    case 'needs-refinement':
    case 'blocked':
      return `needs attention: ${known.statusReason}`;
    case 'closed':
      return null;
  }
}

function explainPending(state: WorkState, { item }: ItemRecord): string | null {
  const open = findOpenBlockers(state, item);
  return open.length === 0 ? null : `blocked by ${formatBlockers(state, open)}`;
}

function explainReady(state: WorkState, known: ItemRecord, limits: WorkLimits): string | null {
  if (known.item.type === 'refinement') return 'waiting for an answer: it is a question about a spec';
  const busy = findBusyItems(state, limits);
  if (busy.has(known.item.id)) return null;
  const overlap = findOverlapAmong(state, limits, known, busy);
  const conflict =
    overlap === null ? null : `waiting for item ${overlap.itemId}, which is changing ${overlap.path}`;
  return explainFailedStarts(known) ?? conflict ?? explainFullSlots(state, limits);
}

function explainReview(state: WorkState, known: ItemRecord, limits: WorkLimits): string | null {
  const run = findRunOfItem(state, known.item.id);
  const busy = findBusyItems(state, limits);
  if (run !== null || busy.has(known.item.id)) return explainWaitingRun(state, known, limits);
  const revision = revisionOf(state, known.item);
  if (revision === null) return 'needs attention: there is no revision to review';
  if (revision.pipeline.status === 'pending') return 'waiting for its checks';
  if (revision.pipeline.status === 'failure') return null;
  const review = reviewOfHead(state, revision);
  if (review !== null) return `needs attention: its review already says ${review.review.verdict}`;
  return explainFailedStarts(known) ?? explainFullSlots(state, limits);
}

function explainWaitingRun(state: WorkState, known: ItemRecord, limits: WorkLimits): string | null {
  const run = findRunOfItem(state, known.item.id);
  return run === null ? null : (limits.waitingRuns.get(run.runId) ?? null);
}

function explainFailedStarts({ failedStarts }: ItemRecord): string | null {
  if (failedStarts.length < FAILURE_LIMIT) return null;
  return `needs attention: ${failedStarts.length} runs in a row could not start: ${failedStarts.at(-1)}`;
}

function explainFullSlots(state: WorkState, limits: WorkLimits): string | null {
  const taken = countUsedSlots(state, limits);
  return taken < limits.slots ? null : `waiting for a free slot (${taken} of ${limits.slots} in use)`;
}
