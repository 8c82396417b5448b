import { answererText } from '../../contracts/run/answer-origin.ts';
import type { EventDraft } from '../../contracts/run/event.ts';
import { typedFeedbackOf } from '../../contracts/run/typed-feedback.ts';
import { extendManifest } from '../evidence/evidence.ts';
import { createReviewGate } from '../forge/review-gate.ts';
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
  readonly onGate: AskAtGate | null;
}

/**
 * Asks the user at an open gate, if this process is interactive; the answer goes through the gate's inbox. `signal`
 * aborts if the gate was answered elsewhere, has expired or shows files that have changed, or if the run stops.
 */
export type AskAtGate = (awaiting: AwaitingView, view: RunView, signal: AbortSignal) => Promise<GateReaction>;

/** If the gate is still open: `wait` as requested, `leave` the gate open and return, or `ask_again`. */
export type GateReaction = 'wait' | 'leave' | 'ask_again';

/** Null if the gate is still open and this process does not wait for its answer. */
export async function awaitGate(request: GateWait, context: DriveContext): Promise<EffectResult | null> {
  const { awaiting } = context.view();
  if (awaiting === null) throw new Error('a gate is awaited that was not requested');
  await context.openWorkspace();
  const review = createReviewGate(context, awaiting);
  const question = createQuestion(request.onGate, awaiting, context);
  try {
    for (let waited = 0; ; ) {
      // Read first: an answer that the user gave before this reaction is then in the inbox.
      const reaction = question.reaction();
      await review?.poll();
      const settled = await settle(context, awaiting, waited % FILES_MS === 0);
      if (settled !== null) return settled;
      if (reaction === 'ask_again') question.ask();
      if (reaction === 'leave' || (reaction === 'wait' && !request.wait)) return null;
      await question.sleep(INBOX_MS);
      await context.stopIfAsked();
      // Right after an answer was refused, the files may be the reason.
      waited = question.reaction() === 'ask_again' ? 0 : waited + INBOX_MS;
    }
  } finally {
    await question.close();
  }
}

/** The result of a gate that was answered, has expired, or no longer shows the current files; null while it is open. */
async function settle(
  context: DriveContext,
  awaiting: AwaitingView,
  isFileCheckDue: boolean,
): Promise<EffectResult | null> {
  const answer = await settleGate(context.run.inbox, awaiting);
  // An approval covers what the gate showed; if files changed since, it is void.
  const needsFileCheck = answer === null ? isFileCheckDue : answer.answer === 'gate_approved';
  if (needsFileCheck && !(await matchesShownFiles(context.deps.workspace, context.workspace, awaiting)))
    return { records: noteVoided(awaiting, answer), input: { kind: 'gate_changed' } };
  if (answer?.answer === 'gate_approved') await expectUnchanged(context, awaiting);
  if (answer === null) return null;
  return {
    records: await closeGate(context, awaiting, answer),
    input: {
      kind: 'gate_answered',
      answer: answer.answer,
      by: answer.by,
      comment: answer.comment,
      answeredAt: answer.answered_at,
      from: answer.from,
      typed: typedFeedbackOf(answer),
    },
  };
}

/** The question to the user, which is open while the inbox is polled. */
interface Question {
  /** Null while the user is being asked. */
  readonly reaction: () => GateReaction | null;
  readonly ask: () => void;
  /** Sleeps until the time is over or the user has reacted. */
  readonly sleep: (ms: number) => Promise<void>;
  /** Ends the question and waits until it is gone from the terminal. Throws what asking has thrown. */
  readonly close: () => Promise<void>;
}

function createQuestion(
  onGate: AskAtGate | null,
  awaiting: AwaitingView,
  { deps, signal, view }: DriveContext,
): Question {
  const closed = new AbortController();
  let reaction: GateReaction | null = onGate === null ? 'wait' : 'ask_again';
  let asking: Promise<void> = Promise.resolve();
  let failure: { readonly error: unknown } | null = null;
  return {
    reaction: () => reaction,
    ask: () => {
      if (onGate === null) return;
      reaction = null;
      asking = onGate(awaiting, view(), closed.signal).then(
        (given) => {
          reaction = given;
        },
        (error: unknown) => {
          failure = { error };
          reaction = 'leave';
        },
      );
    },
    sleep: async (ms) => {
      const slept = deps.clock.sleep(ms, signal);
      await (reaction === null ? Promise.race([slept, asking]) : slept);
    },
    close: async () => {
      closed.abort();
      await asking;
      if (failure !== null) throw failure.error;
    },
  };
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
