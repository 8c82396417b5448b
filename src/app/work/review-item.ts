import { cleanOutput } from '../../text/outside-text.ts';
import { reviewOfHead, revisionOf } from '../../work/items/state.ts';
import { expectAccepted } from './expect-done.ts';
import { findItem } from './find-item.ts';
import type { WorkDriving, WorkEnd } from './work-end.ts';

/** Starts a review of an item's revision now, after its checks have passed. */
export async function reviewItem(driving: WorkDriving, itemRef: string): Promise<WorkEnd> {
  const { work, signal, onEvent } = driving;
  await work.engine.recover();
  const { item } = findItem(await work.engine.snapshot(), itemRef);
  // The checks of the revision come first; nothing else is started.
  await work.engine.runUntilIdle(signal, { onEvent, roles: [], items: [item.id] });
  if (signal.aborted) return STOPPED;
  return reviewNow(driving, item.id);
}

const STOPPED: WorkEnd = {
  kind: 'stopped',
  ok: false,
  reason: 'stopped',
  help: 'run the same command again to start over',
};

async function reviewNow(
  { work, person, signal, onEvent, short }: WorkDriving,
  id: string,
): Promise<WorkEnd> {
  const report = expectAccepted(await work.engine.review(id, person, signal, { onEvent }), id);
  const { conclusion, runId } = report;
  if (signal.aborted) return STOPPED;
  if (conclusion.kind !== 'ended')
    return {
      kind: 'waiting',
      ok: true,
      reason: `the run ${short(runId)} has not ended`,
      help: `conductor status ${short(runId)}`,
    };
  if (!conclusion.ok)
    return {
      kind: 'failed',
      ok: false,
      reason: `there is no review: ${cleanOutput(conclusion.reason)}`,
      help: `conductor show ${short(runId)} has what the reviewer did`,
    };
  const { state } = await work.engine.snapshot();
  const item = state.items.get(id)?.item;
  const revision = item === undefined ? null : revisionOf(state, item);
  const verdict = revision === null ? null : reviewOfHead(state, revision)?.review.verdict;
  if (verdict === 'approve') return { kind: 'done', ok: true, reason: null, help: null };
  return {
    kind: 'blocked',
    ok: false,
    reason: `the review of item ${id} asks for changes`,
    help: `conductor work show ${id} has them; conductor work transition ${id} pending has it done again`,
  };
}
