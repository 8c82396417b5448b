import * as z from 'zod';
import { answerOriginSchema } from '../contracts/answer-origin.ts';
import { stepFolderOf } from '../contracts/run-files.ts';
import { GATE_EVENTS } from '../contracts/vocabulary.ts';
import type { RunDirectory } from '../ports/run-store.ts';
import type { RunWorkspace, Workspace } from '../ports/workspace.ts';
import { parseJson } from '../text/json.ts';
import { toJson } from './json.ts';
import type { AwaitingView } from './run-view.ts';

const gateAnswerSchema = z.strictObject({
  answer: z.enum(GATE_EVENTS),
  /** Null when nobody answered in time. */
  by: z.string().nullable(),
  comment: z.string().nullable(),
  answered_at: z.string(),
  /** Missing where the time ran out, or an earlier version wrote this. */
  from: z.optional(answerOriginSchema),
  /** What was answered: the request by its digest, and the tree it showed. */
  request_sha256: z.string(),
  tree: z.string(),
  /** Null where nothing was shown to anybody: the time ran out, or an earlier version wrote this. */
  workflow_digest: z.string().nullable().default(null),
  evidence: z
    .array(z.strictObject({ path: z.string(), sha256: z.string() }))
    .nullable()
    .default(null),
});
export type GateAnswer = z.infer<typeof gateAnswerSchema>;

/** An open gate, as far as its inbox is concerned. */
export type GateKey = Pick<AwaitingView, 'stepId' | 'attempt' | 'request_sha256' | 'tree' | 'approvers'>;

/**
 * The inbox of one request. Its name holds the digest of the request, so that nobody can lay an answer there
 * before the question is asked.
 */
export function outcomePath(key: GateKey): string {
  return `${stepFolderOf(key.stepId, key.attempt)}/gate_outcome-${key.request_sha256.slice(0, 16)}.json`;
}

/** The answer that lies in the inbox of a gate, if one does. What does not answer this request is none. */
export async function readAnswer(directory: RunDirectory, key: GateKey): Promise<GateAnswer | null> {
  const text = await directory.read(outcomePath(key));
  if (text === null) return null;
  const parsed = gateAnswerSchema.safeParse(parseJson(text));
  return parsed.success && answers(parsed.data, key) ? parsed.data : null;
}

function answers(answer: GateAnswer, key: GateKey): boolean {
  if (answer.request_sha256 !== key.request_sha256 || answer.tree !== key.tree) return false;
  if (answer.answer === 'gate_timed_out') return true;
  return answer.by !== null && (key.approvers.length === 0 || key.approvers.includes(answer.by));
}

/** Exactly one answer wins: the file is made whole or not at all. False when there was one before. */
export function submitAnswer(directory: RunDirectory, key: GateKey, answer: GateAnswer): Promise<boolean> {
  return directory.writeOnce(outcomePath(key), toJson(answer));
}

export function hasExpired(awaiting: AwaitingView, now: Date): boolean {
  return awaiting.expiresAt !== null && now.getTime() >= Date.parse(awaiting.expiresAt);
}

/**
 * What a gate has come to by now, or null while it is open. Running out of time goes through the same
 * door as an answer, so that only one of the two can win.
 */
export async function settleGate(
  directory: RunDirectory,
  awaiting: AwaitingView,
  now: Date,
): Promise<GateAnswer | null> {
  const given = await readAnswer(directory, awaiting);
  if (given !== null || !hasExpired(awaiting, now)) return given;
  await submitAnswer(directory, awaiting, {
    answer: 'gate_timed_out',
    by: null,
    comment: null,
    answered_at: now.toISOString(),
    request_sha256: awaiting.request_sha256,
    tree: awaiting.tree,
    workflow_digest: null,
    evidence: null,
  });
  return readAnswer(directory, awaiting);
}

/** Whether the files are the ones that the gate's request showed. */
export async function showsWhatIsThere(
  workspace: Workspace,
  run: RunWorkspace,
  awaiting: AwaitingView,
): Promise<boolean> {
  const now = await workspace.snapshot(run, `${awaiting.stepId}@${awaiting.attempt}.answer`);
  return now.tree === awaiting.tree;
}
