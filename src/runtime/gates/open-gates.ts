import * as z from 'zod';
import { answerOriginSchema } from '../../contracts/run/answer-origin.ts';
import type { PostResult } from '../../contracts/run/post-terms.ts';
import { stepFolderOf } from '../../contracts/run/run-files.ts';
import { typedFeedbackShape } from '../../contracts/run/typed-feedback.ts';
import { GATE_EVENTS } from '../../contracts/vocabulary.ts';
import type { Inbox } from '../../ports/run-store.ts';
import type { RunWorkspace, Workspace } from '../../ports/workspace/workspace.ts';
import { parseJson } from '../../text/json.ts';
import { toJson } from '../json.ts';
import type { AwaitingView } from '../record/run-view.ts';

const gateAnswerSchema = z.strictObject({
  answer: z.enum(GATE_EVENTS),
  /** Null if the gate timed out. */
  by: z.string().nullable(),
  comment: z.string().nullable(),
  answered_at: z.string(),
  /** Missing if the gate timed out or an earlier version wrote the answer. */
  from: z.optional(answerOriginSchema),
  ...typedFeedbackShape,
  /** What was answered: the digest of the request, and the tree it showed. */
  request_sha256: z.string(),
  tree: z.string(),
  /** Null if the gate timed out or an earlier version wrote the answer. */
  workflow_digest: z.string().nullable().default(null),
  evidence: z
    .array(z.strictObject({ path: z.string(), sha256: z.string() }))
    .nullable()
    .default(null),
});
export type GateAnswer = z.infer<typeof gateAnswerSchema>;

/** The fields of an open gate that locate and check its inbox. */
export type GateKey = Pick<AwaitingView, 'stepId' | 'attempt' | 'request_sha256' | 'tree' | 'approvers'>;

/**
 * The inbox of one request. Its name contains the digest of the request, so an answer can't be placed there before the
 * request exists.
 */
export function outcomePath(key: GateKey): string {
  return `${stepFolderOf(key.stepId, key.attempt)}/gate_outcome-${key.request_sha256.slice(0, 16)}.json`;
}

/** The answer in a gate's inbox; null if there is none or it doesn't match this request. */
export async function readAnswer(inbox: Inbox, key: GateKey): Promise<GateAnswer | null> {
  const text = await inbox.read(outcomePath(key));
  if (text === null) return null;
  const parsed = gateAnswerSchema.safeParse(parseJson(text));
  return parsed.success && matchesRequest(parsed.data, key) ? parsed.data : null;
}

function matchesRequest(answer: GateAnswer, key: GateKey): boolean {
  if (answer.request_sha256 !== key.request_sha256 || answer.tree !== key.tree) return false;
  if (answer.answer === 'gate_timed_out') return true;
  return answer.by !== null && (key.approvers.length === 0 || key.approvers.includes(answer.by));
}

/** Exactly one answer counts: the first in time. */
export function submitAnswer(inbox: Inbox, awaiting: AwaitingView, answer: GateAnswer): Promise<PostResult> {
  const expiryMs = awaiting.expiresAt === null ? null : Date.parse(awaiting.expiresAt);
  const isTimeout = answer.answer === 'gate_timed_out';
  const terms = expiryMs === null ? {} : isTimeout ? { notBeforeMs: expiryMs } : { beforeMs: expiryMs };
  return inbox.post(outcomePath(awaiting), toJson(answer), terms);
}

export function hasExpired(awaiting: AwaitingView, now: Date): boolean {
  return awaiting.expiresAt !== null && now.getTime() >= Date.parse(awaiting.expiresAt);
}

/**
 * The answer to a gate, or null while it is open. A timeout is written to the same inbox as an answer, so only one of
 * the two can win.
 */
export async function settleGate(inbox: Inbox, awaiting: AwaitingView): Promise<GateAnswer | null> {
  const given = await readAnswer(inbox, awaiting);
  if (given !== null) return given;
  const now = await inbox.now();
  if (!hasExpired(awaiting, now)) return null;
  await submitAnswer(inbox, awaiting, {
    answer: 'gate_timed_out',
    by: null,
    comment: null,
    answered_at: now.toISOString(),
    request_sha256: awaiting.request_sha256,
    tree: awaiting.tree,
    workflow_digest: null,
    evidence: null,
  });
  return readAnswer(inbox, awaiting);
}

/** Whether the files are still those that the gate's request showed. */
export async function matchesShownFiles(
  workspace: Workspace,
  run: RunWorkspace,
  awaiting: AwaitingView,
): Promise<boolean> {
  const now = await workspace.snapshot(run, `${awaiting.stepId}@${awaiting.attempt}.answer`);
  return now.tree === awaiting.tree;
}
