import * as z from 'zod';
import { stepFolderOf } from '../contracts/run-files.ts';
import { GATE_EVENTS } from '../contracts/vocabulary.ts';
import type { RunDirectory } from '../ports/run-store.ts';
import type { RunWorkspace, Workspace } from '../ports/workspace.ts';
import { toJson } from './derived-files.ts';
import type { StepKey } from './evidence.ts';
import type { AwaitingView } from './run-view.ts';

const gateAnswerSchema = z.strictObject({
  answer: z.enum(GATE_EVENTS),
  /** Null when nobody answered in time. */
  by: z.string().nullable(),
  comment: z.string().nullable(),
  answered_at: z.string(),
  /** What was answered: the request by its digest, and the tree it showed. */
  request_sha256: z.string(),
  tree: z.string(),
});
export type GateAnswer = z.infer<typeof gateAnswerSchema>;

const OUTCOME_FILE = 'gate_outcome.json';

function outcomePath(key: StepKey): string {
  return `${stepFolderOf(key.stepId, key.attempt)}/${OUTCOME_FILE}`;
}

/** The answer that lies in the inbox of a gate, if one does. */
export async function readAnswer(directory: RunDirectory, key: StepKey): Promise<GateAnswer | null> {
  const text = await directory.read(outcomePath(key));
  if (text === null) return null;
  const parsed = gateAnswerSchema.safeParse(JSON.parse(text));
  if (!parsed.success) throw new Error(`${outcomePath(key)} does not hold a gate's answer`);
  return parsed.data;
}

/** Exactly one answer wins: the file is made whole or not at all. False when there was one before. */
export function submitAnswer(directory: RunDirectory, key: StepKey, answer: GateAnswer): Promise<boolean> {
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
