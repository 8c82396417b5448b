import { reviewOfHead, revisionOf } from '../../../../work/items/state.ts';
import type { CommandContext } from '../../command-context.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { printable } from '../../output/terminal.ts';
import { driveWork, type WorkDriving, type WorkEnd } from '../../output/work/driving.ts';
import { expectAccepted, findItem } from '../../output/work/session.ts';

/** Starts a review of an item's revision now, after its checks have passed. */
export async function review(context: CommandContext, itemRef: string, as: string | null): Promise<ExitCode> {
  return driveWork(context, { jobs: null, as }, async (driving) => {
    const { work, signal, onEvent } = driving;
    await work.engine.recover();
    const { item } = findItem(await work.engine.snapshot(), itemRef);
    // The checks of the revision come first; nothing else is started.
    await work.engine.runUntilIdle(signal, { onEvent, roles: [], items: [item.id] });
    if (signal.aborted) return STOPPED;
    return reviewNow(driving, item.id);
  });
}

const STOPPED: WorkEnd = {
  code: EXIT.interrupted,
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
      code: EXIT.waiting,
      ok: true,
      reason: `the run ${short(runId)} has not ended`,
      help: `conductor status ${short(runId)}`,
    };
  if (!conclusion.ok)
    return {
      code: EXIT.failed,
      ok: false,
      reason: `there is no review: ${printable(conclusion.reason)}`,
      help: `conductor show ${short(runId)} has what the reviewer did`,
    };
  const { state } = await work.engine.snapshot();
  const item = state.items.get(id)?.item;
  const revision = item === undefined ? null : revisionOf(state, item);
  const verdict = revision === null ? null : reviewOfHead(state, revision)?.review.verdict;
  if (verdict === 'approve') return { code: EXIT.success, ok: true, reason: null, help: null };
  return {
    code: EXIT.blocked,
    ok: false,
    reason: `the review of item ${id} asks for changes`,
    help: `conductor work show ${id} has them; conductor work transition ${id} pending has it done again`,
  };
}
