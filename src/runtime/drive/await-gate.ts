import { answererText } from '../../contracts/run/answer-origin.ts';
import type { EventDraft } from '../../contracts/run/event.ts';
import { extendManifest } from '../evidence/evidence.ts';
import { ApprovalVoid, bindApproval } from '../gates/approval.ts';
import { type GateAnswer, matchesShownFiles, outcomePath, settleGate } from '../gates/open-gates.ts';
import type { AwaitingView, RunView } from '../record/run-view.ts';
import type { EffectResult, RunContext } from '../run-context.ts';
import type { DriveContext } from './drive-context.ts';

/** How often a waiting process polls an open gate's inbox. */
const INBOX_MS = 200;
/** How often it checks that the files are still those the gate showed; each check costs a git command. */
const FILES_MS = 5_000;

export interface GateWait {
  /** Whether to wait at gates until they are answered. */
  readonly wait: boolean;
  /** Asks the user at an open gate, if this process is interactive; the answer goes through the gate's inbox. */
  readonly onGate: ((awaiting: AwaitingView, view: RunView) => Promise<void>) | null;
}

/** Null if the gate is still open and `wait` is false. */
export async function awaitGate(request: GateWait, context: DriveContext): Promise<EffectResult | null> {
  const { awaiting } = context.view();
  if (awaiting === null) throw new Error('a gate is awaited that was not requested');
  await context.openWorkspace();
  for (let waited = 0, asked = false; ; ) {
    const answer = await settleGate(context.directory, awaiting, context.deps.clock.now());
    // An approval covers what the gate showed; if files changed since, it is void.
    const needsFileCheck = answer === null ? waited % FILES_MS === 0 : answer.answer === 'gate_approved';
    if (needsFileCheck && !(await matchesShownFiles(context.deps.workspace, context.workspace, awaiting)))
      return { records: noteVoided(awaiting, answer), input: { kind: 'gate_changed' } };
    if (answer?.answer === 'gate_approved') await expectUnchanged(context, awaiting);
    if (answer !== null)
      return {
        records: await closeGate(context, awaiting, answer),
        input: {
          kind: 'gate_answered',
          answer: answer.answer,
          by: answer.by,
          comment: answer.comment,
          answeredAt: answer.answered_at,
          from: answer.from,
        },
      };
    if (request.onGate !== null && !asked) {
      asked = true;
      await request.onGate(awaiting, context.view());
      continue;
    }
    if (!request.wait) return null;
    await context.deps.clock.sleep(INBOX_MS, context.signal);
    await context.stopIfAsked();
    waited += INBOX_MS;
  }
}

/** Reports to the approver that the approval did not count. */
function noteVoided({ stepId }: AwaitingView, answer: GateAnswer | null): EffectResult['records'] {
  if (answer === null) return [];
  const note = `the approval of gate ${stepId} by ${answer.by} is void: the files changed since the gate was opened`;
  return [{ event_type: 'status_updated', step_id: stepId, payload: { note } }];
}

/** Changed files reopen the gate. Changed evidence can't: what an agent did can't be shown again. */
async function expectUnchanged({ directory, view }: DriveContext, awaiting: AwaitingView): Promise<void> {
  const binding = await bindApproval(directory, view(), awaiting);
  if (!binding.ok)
    throw new ApprovalVoid(
      `the approval of gate ${awaiting.stepId} is void: ${binding.changed} changed since the gate was opened`,
    );
}

/** Adds the answer to the gate's manifest. */
async function closeGate(
  { directory, deps, events }: RunContext,
  awaiting: AwaitingView,
  answer: GateAnswer,
): Promise<readonly EventDraft[]> {
  const digest = await directory.digest(directory.resolve(outcomePath(awaiting)));
  return extendManifest(directory, awaiting, {
    events: events(),
    endedAt: deps.clock.now().toISOString(),
    termination: answer.answer,
    summary: `${answer.answer}${answer.by === null ? '' : ` by ${answererText(answer.by, answer.from)}`}`,
    artifact: { role: 'gate_outcome', digest },
  });
}
