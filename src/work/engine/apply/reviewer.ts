import type { ItemRecord, WorkState } from '../../items/state.ts';
import type { CommandOf } from '../command.ts';
import { type Change, endRun, moveThrough } from './change.ts';

/** Posts the review, replacing an earlier one, and moves the item by its verdict. */
export function applyReviewerResult(
  state: WorkState,
  known: ItemRecord,
  command: CommandOf<'apply_reviewer_result'>,
  by: string,
): Change {
  const { revisionId, runId } = command;
  const { review } = command.result;
  const approves = review.verdict === 'approve';
  const reason = approves ? 'its review approves' : `its review asks for changes: ${review.summary}`;
  const moves = moveThrough(known, [approves ? 'approved' : 'needs-refinement'], by, reason);
  return {
    writes: [{ kind: 'post_review', revisionId, review }, ...moves.writes],
    eventsOf: (written) => [
      ...written.flatMap((each) =>
        each.kind === 'review'
          ? [{ type: 'review_posted', review: each.review, run_id: runId } as const]
          : [],
      ),
      ...endRun(state, runId, { ok: true, counted: false, reason }),
      ...moves.events,
    ],
  };
}
