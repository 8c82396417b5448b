import { ApprovalVoid, bindApproval } from './approval.ts';
import type { DriveContext } from './drive-context.ts';
import { closeGate } from './effects/close-gate.ts';
import { type GateAnswer, settleGate, showsWhatIsThere } from './gates.ts';
import type { EffectResult } from './run-context.ts';
import type { AwaitingView, RunView } from './run-view.ts';

/** How often an open gate's inbox is looked at by a process that waits. */
const INBOX_MS = 200;
/** How often it makes sure that the files are still those that were shown, which costs a git command. */
const FILES_MS = 5_000;

export interface GateWait {
  /** Stay at gates until they are answered. */
  readonly wait: boolean;
  /** Asks a person at an open gate, where there is one; the answer goes through the gate's inbox. */
  readonly onGate: ((awaiting: AwaitingView, view: RunView) => Promise<void>) | null;
}

/** Null when the gate is open and nobody is to wait for it here. */
export async function awaitGate(request: GateWait, context: DriveContext): Promise<EffectResult | null> {
  const { awaiting } = context.view();
  if (awaiting === null) throw new Error('a gate is awaited that was not requested');
  await context.openWorkspace();
  for (let waited = 0, asked = false; ; ) {
    const answer = await settleGate(context.directory, awaiting, context.deps.clock.now());
    // A person answers for what they were shown; files that changed since make an approval void.
    const looks = answer === null ? waited % FILES_MS === 0 : answer.answer === 'gate_approved';
    if (looks && !(await showsWhatIsThere(context.deps.workspace, context.workspace, awaiting)))
      return { records: voided(awaiting, answer), input: { kind: 'gate_changed' } };
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

/** Who approved has to be told that it did not count. */
function voided({ stepId }: AwaitingView, answer: GateAnswer | null): EffectResult['records'] {
  if (answer === null) return [];
  const note = `the approval of gate ${stepId} by ${answer.by} is void: the files changed since the gate was opened`;
  return [{ event_type: 'status_updated', step_id: stepId, payload: { note } }];
}

/** Changed files are asked about anew. A changed record is not: what an agent did can't be shown again. */
async function expectUnchanged({ directory, view }: DriveContext, awaiting: AwaitingView): Promise<void> {
  const binding = await bindApproval(directory, view(), awaiting);
  if (!binding.ok)
    throw new ApprovalVoid(
      `the approval of gate ${awaiting.stepId} is void: ${binding.changed} changed since the gate was opened`,
    );
}
