import type { Config } from '../../contracts/config/config.ts';
import type { AnswerOrigin } from '../../contracts/run/answer-origin.ts';
import { type TypedFeedback, typedFeedbackOf } from '../../contracts/run/typed-feedback.ts';
import type { Answerer } from '../../ports/answerer.ts';
import type { RunRecord } from '../../ports/run-store.ts';
import type { Workspace } from '../../ports/workspace/workspace.ts';
import { type Binding, bindApproval } from '../../runtime/gates/approval.ts';
import {
  hasExpired,
  matchesShownFiles,
  outcomePath,
  readAnswer,
  submitAnswer,
} from '../../runtime/gates/open-gates.ts';
import { refuseAnswer } from '../../runtime/gates/refuse-answer.ts';
import { findEarlierRun } from '../../runtime/record/earlier-run.ts';
import { locateWorkspace } from '../../runtime/record/recorded-run.ts';
import { type AwaitingView, type RunView, viewRun } from '../../runtime/record/run-view.ts';
import type { OpenProject } from '../opened.ts';

export interface AnswerRequest {
  readonly record: RunRecord;
  readonly workspace: Workspace;
  readonly repoRoot: string;
  /** Whether workers on other machines drive the runs: the one that continues the run compares its files again. */
  readonly isShared: boolean;
  readonly answer: 'gate_approved' | 'gate_rejected';
  /** The label that approvers are matched against. */
  readonly by: string;
  readonly answerer: Answerer;
  /** `answers` of the configuration. */
  readonly accepted: Config['answers'];
  readonly comment: string | null;
  /** Comments on lines, and refused goldens. */
  readonly typed?: TypedFeedback;
}

export type AnswerResult =
  | { readonly ok: true; readonly stepId: string; readonly origin: AnswerOrigin }
  | { readonly ok: false; readonly reason: string; readonly help: string | null };

/** Answers the open gate of a run in this project, from this process. */
export async function answerOpenGate(
  { deps, repoRoot, answers, answerer, store }: OpenProject,
  record: RunRecord,
  answer: Pick<AnswerRequest, 'answer' | 'by' | 'comment' | 'typed'> &
    Partial<Pick<AnswerRequest, 'accepted'>>,
): Promise<AnswerResult> {
  const isShared = store.kind === 'shared';
  const own = { record, workspace: deps.workspace, repoRoot, isShared, answerer: await answerer() };
  return answerGate({ accepted: answers, ...own, ...answer });
}

/** Records a user's answer in the gate's inbox, exactly once. The run continues when a process drives it. */
export async function answerGate(request: AnswerRequest): Promise<AnswerResult> {
  const { record, by, answerer } = request;
  const obstacle = refuseAnswer(answerer, request.accepted);
  if (obstacle !== null) return refuse(obstacle.message, obstacle.help);
  const view = viewRun(record.events);
  const awaiting = view?.awaiting ?? null;
  if (view === null || awaiting === null)
    return refuse(
      `run ${record.directory.runId} is not waiting at a gate`,
      (view?.end ?? null) === null
        ? 'conductor gates lists the gates that wait for an answer'
        : `it has ended as ${view?.end?.outcome}; conductor show ${record.directory.runId} shows how`,
    );
  const fromEarlier = findEarlierRun(view);
  if (fromEarlier !== null) return refuse(fromEarlier.message, fromEarlier.help);
  if (awaiting.approvers.length > 0 && !awaiting.approvers.includes(by))
    return refuse(
      `"${by}" is not among the approvers of gate ${awaiting.stepId}`,
      `approvers: ${awaiting.approvers.join(', ')}; answer with --as NAME`,
    );
  const earlier = await readAnswer(record.inbox, awaiting);
  if (earlier !== null)
    return refuse(describeAnswered(awaiting.stepId, earlier.answer, earlier.by), describeResume(record));
  if (hasExpired(awaiting, await record.inbox.now())) return refuseExpired(view, awaiting);
  const binding = await bindApproval(record.directory, view, awaiting);
  if (request.answer === 'gate_approved') {
    const stale = await refuseStale(request, view, awaiting, binding);
    if (stale !== null) return stale;
  }
  const now = await record.inbox.now();
  const posted = await submitAnswer(record.inbox, awaiting, {
    answer: request.answer,
    by,
    comment: request.comment,
    answered_at: now.toISOString(),
    from: answerer.origin,
    ...typedFeedbackOf(request.typed ?? {}),
    request_sha256: awaiting.request_sha256,
    tree: awaiting.tree,
    workflow_digest: binding.ok ? binding.bound.workflowDigest : null,
    evidence: binding.ok ? [...binding.bound.evidence] : null,
  });
  if (posted === 'posted') return { ok: true, stepId: awaiting.stepId, origin: answerer.origin };
  const winner = await readAnswer(record.inbox, awaiting);
  if (winner !== null)
    return refuse(describeAnswered(awaiting.stepId, winner.answer, winner.by), describeResume(record));
  // The checks above take time, so the gate may have expired meanwhile.
  if (posted === 'too_late') return refuseExpired(view, awaiting);
  return refuse(
    `${record.directory.resolve(outcomePath(awaiting))} exists, but is not an answer to gate ${awaiting.stepId}`,
    'remove the file, and answer again',
  );
}

/** Refuses an approval if the files or evidence differ from what the gate showed. */
async function refuseStale(
  request: AnswerRequest,
  view: RunView,
  awaiting: AwaitingView,
  binding: Binding,
): Promise<AnswerResult | null> {
  if (!binding.ok)
    return refuse(
      `${binding.changed} of run ${view.runId} changed since gate ${awaiting.stepId} was opened, so the gate did not show the current state`,
      'restore it, or reject the gate',
    );
  // A workspace here may be older than the one of the worker that opened the gate.
  if (request.isShared) return null;
  const run = locateWorkspace(view, request.record.directory, request);
  if (!(await request.workspace.isVisible(run)))
    return refuse(
      `the workspace ${run.checkoutPath} of run ${view.runId} isn't visible from this machine or container, so what was shown can't be compared`,
      'answer where that folder is, or mount it',
    );
  await request.workspace.reopen(run, view.state.tree);
  if (await matchesShownFiles(request.workspace, run, awaiting)) return null;
  return refuse(
    `the files changed since gate ${awaiting.stepId} was opened, so the gate did not show the current state`,
    `conductor resume ${view.runId} opens the gate again with the files as they are`,
  );
}

function refuseExpired(view: RunView, { stepId, expiresAt }: AwaitingView): AnswerResult {
  return refuse(`gate ${stepId} timed out at ${expiresAt}`, resumeHelp(view.runId));
}

/** Help after a refused answer: the first answer counts, so the run only needs to be resumed. */
function describeResume({ directory, driver }: AnswerRequest['record']): string | null {
  return driver === null ? `conductor resume ${directory.runId} continues with that answer` : null;
}

function describeAnswered(stepId: string, answer: string, by: string | null): string {
  return `gate ${stepId} has already been answered: ${answer}${by === null ? '' : ` by ${by}`}`;
}

function resumeHelp(runId: string): string {
  return `conductor resume ${runId} takes its route for a timeout`;
}

function refuse(reason: string, help: string | null = null): AnswerResult {
  return { ok: false, reason, help };
}
