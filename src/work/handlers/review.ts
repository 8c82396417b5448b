import type { Revision } from '../../contracts/work/work-item.ts';
import { type AskedCommand, ENGINE } from '../command.ts';
import { afterFailures } from '../failures.ts';
import { requestKey } from '../keys.ts';
import { busyItems, isWanted, takenPlaces, type WorkLimits } from '../limits.ts';
import { FAILURE_LIMIT, type KnownItem, reviewOfHead, revisionOf, type WorkState } from '../state.ts';
import { type Handler, moveItem } from './handler.ts';

/** For an item in review: requests a reviewer if its checks pass, or moves it on if they fail. */
export const handleReview: Handler = (event, state, limits) => {
  const concerns = ['looked', 'pipeline_changed', 'status_changed', 'run_ended', 'revision_made'];
  if (!concerns.includes(event.type)) return [];
  const places = limits.jobs - takenPlaces(state, limits);
  const requests = reviewableItems(state, limits).map(
    ({ known, revision }): AskedCommand => ({
      key: `${requestKey('reviewer', known)}/${revision.headSHA}`,
      by: ENGINE,
      command: { kind: 'request_reviewer_run', itemId: known.item.id, revisionId: revision.id },
    }),
  );
  return [...failedChecks(state, limits), ...requests.slice(0, Math.max(places, 0))];
};

interface Reviewable {
  readonly known: KnownItem;
  readonly revision: Revision;
}

/** Items that a reviewer could review now. A commit with a verdict is not reviewed again automatically. */
export function reviewableItems(state: WorkState, limits: WorkLimits): readonly Reviewable[] {
  return itemsInReview(state, limits).filter(
    ({ known, revision }) =>
      isWanted(limits, known.item.id) &&
      revision.pipeline.status === 'success' &&
      reviewOfHead(state, revision) === null &&
      known.failedStarts.length < FAILURE_LIMIT,
  );
}

function failedChecks(state: WorkState, limits: WorkLimits): readonly AskedCommand[] {
  return itemsInReview(state, limits)
    .filter(({ revision }) => revision.pipeline.status === 'failure')
    .map(({ known, revision }) => {
      const reason = `its checks failed: ${revision.pipeline.reason ?? 'no reason was given'}`;
      const next = afterFailures('review', known.failures, reason);
      return moveItem(known, next.to, next.reason);
    });
}

function itemsInReview(state: WorkState, limits: WorkLimits): readonly Reviewable[] {
  const busy = busyItems(state, limits);
  return [...state.items.values()].flatMap((known) => {
    const revision = known.item.status === 'review' ? revisionOf(state, known.item) : null;
    return revision === null || busy.has(known.item.id) ? [] : [{ known, revision }];
  });
}
