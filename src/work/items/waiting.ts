import { countTakenPlaces, findBusyItems, findOverlapAmong, type WorkLimits } from './limits.ts';
import {
  FAILURE_LIMIT,
  findOpenBlockers,
  findRunOfItem,
  type ItemRecord,
  reviewOfHead,
  revisionOf,
  type WorkState,
} from './state.ts';

/** Why an item waits, for users; null if work on it is in progress. */
export function explainWait(state: WorkState, known: ItemRecord, limits: WorkLimits): string | null {
  switch (known.item.status) {
    case 'pending':
      return whilePending(state, known);
    case 'ready':
      return whileReady(state, known, limits);
    case 'in-progress':
      return waitingAtGate(state, known, limits);
    case 'review':
      return inReview(state, known, limits);
    case 'approved':
      return 'waits for a person: it is approved and not merged';
    case 'needs-refinement':
    case 'blocked':
      return `waits for a person: ${known.statusReason}`;
    case 'closed':
      return null;
  }
}

function whilePending(state: WorkState, { item }: ItemRecord): string | null {
  const open = findOpenBlockers(state, item);
  if (open.length === 0) return null;
  const named = open.map((id) => `${id} (${state.items.get(id)?.item.status ?? 'unknown'})`);
  return `waits for ${named.join(', ')}`;
}

function whileReady(state: WorkState, known: ItemRecord, limits: WorkLimits): string | null {
  if (known.item.type === 'refinement') return 'waits for a person: it is a question about a spec';
  const busy = findBusyItems(state, limits);
  if (busy.has(known.item.id)) return null;
  const unstartable = afterFailedStarts(known);
  if (unstartable !== null) return unstartable;
  const overlap = findOverlapAmong(state, limits, known, busy);
  if (overlap !== null) return `waits: ${overlap.path} is being worked on by ${overlap.itemId}`;
  return withoutPlace(state, limits);
}

function inReview(state: WorkState, known: ItemRecord, limits: WorkLimits): string | null {
  const run = findRunOfItem(state, known.item.id);
  const busy = findBusyItems(state, limits);
  if (run !== null || busy.has(known.item.id)) return waitingAtGate(state, known, limits);
  const revision = revisionOf(state, known.item);
  if (revision === null) return 'waits for a person: there is no revision to review';
  if (revision.pipeline.status === 'pending') return 'waits for its checks';
  if (revision.pipeline.status === 'failure') return null;
  const review = reviewOfHead(state, revision);
  if (review !== null) return `waits for a person: its review says ${review.review.verdict} already`;
  const unstartable = afterFailedStarts(known);
  if (unstartable !== null) return unstartable;
  return withoutPlace(state, limits);
}

function waitingAtGate(state: WorkState, known: ItemRecord, limits: WorkLimits): string | null {
  const run = findRunOfItem(state, known.item.id);
  const reason = run === null ? undefined : limits.waitingRuns.get(run.runId);
  return reason === undefined ? null : `waits for a person: ${reason}`;
}

function afterFailedStarts({ failedStarts }: ItemRecord): string | null {
  if (failedStarts.length < FAILURE_LIMIT) return null;
  return `waits for a person: a run could not be started ${failedStarts.length} times in a row: ${failedStarts.at(-1)}`;
}

function withoutPlace(state: WorkState, limits: WorkLimits): string | null {
  const taken = countTakenPlaces(state, limits);
  return taken < limits.jobs ? null : `waits for a free place (${taken} of ${limits.jobs} at work)`;
}
