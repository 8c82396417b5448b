import * as z from 'zod';
import { answerOriginSchema } from '../../contracts/run/answer-origin.ts';
import type { RunEvent } from '../../contracts/run/event.ts';
import { stepFolderOf } from '../../contracts/run/run-files.ts';
import { typedFeedbackOf, typedFeedbackShape } from '../../contracts/run/typed-feedback.ts';
import { parseJson } from '../../text/json.ts';
import { digestOf } from './verify-artifacts.ts';
import {
  type ArtifactEvent,
  lineOf,
  problemIn,
  recordedIn,
  type VerifyContext,
  type VerifyProblem,
} from './verify-context.ts';

type Requested = Extract<RunEvent, { event_type: 'gate_requested' }>;
type Answered = Extract<RunEvent, { event_type: 'gate_approved' | 'gate_rejected' | 'gate_timed_out' }>;

const evidenceSchema = z.array(z.object({ path: z.string(), sha256: z.string() }));

const requestSchema = z.object({
  tree: z.string(),
  workflow_digest: z.string(),
  evidence: evidenceSchema,
});

const outcomeSchema = z.object({
  answer: z.string(),
  by: z.string().nullable(),
  comment: z.string().nullable(),
  answered_at: z.string(),
  from: z.optional(answerOriginSchema),
  ...typedFeedbackShape,
  request_sha256: z.string(),
  tree: z.string(),
  /** Null if the gate timed out, missing if an earlier version wrote the answer. */
  workflow_digest: z.string().nullish(),
  evidence: evidenceSchema.nullish(),
});

/** Checks that each request is the one that its event binds, and each recorded answer the one that the run used. */
export async function verifyGates(context: VerifyContext): Promise<readonly VerifyProblem[]> {
  const problems: VerifyProblem[] = [];
  let open: Requested | null = null;
  for (const event of context.events) {
    switch (event.event_type) {
      case 'gate_requested':
        open = event;
        problems.push(...(await verifyRequest(context, event)));
        break;
      case 'gate_approved':
      case 'gate_rejected':
      case 'gate_timed_out':
        problems.push(...(await verifyOutcome(context, event, open)));
        break;
      default:
        break;
    }
  }
  return problems;
}

function artifactOf(
  context: VerifyContext,
  event: Requested | Answered,
  role: string,
): ArtifactEvent | undefined {
  const folder = stepFolderOf(event.step_id ?? '', event.payload.attempt);
  return recordedIn(context, folder).find(({ payload }) => payload.role === role);
}

async function readJson({ directory, files }: VerifyContext, path: string): Promise<unknown> {
  return files.has(path) ? parseJson((await directory.read(path)) ?? '') : null;
}

async function verifyRequest(context: VerifyContext, event: Requested): Promise<readonly VerifyProblem[]> {
  const where = `events.ndjson line ${lineOf(event)}`;
  const artifact = artifactOf(context, event, 'gate_request');
  if (artifact === undefined)
    return [problemIn('events.ndjson', 'asks at a gate without a recorded request', lineOf(event))];
  const { path, sha256 } = artifact.payload;
  if (sha256 !== event.payload.request_sha256)
    return [problemIn(path, `is not the request that ${where} binds`)];
  const request = requestSchema.safeParse(await readJson(context, path));
  if (!request.success) return [problemIn(path, 'is not a gate request')];
  if (request.data.tree !== event.payload.tree)
    return [problemIn(path, `shows a different tree than ${where}`)];
  if (request.data.workflow_digest !== context.view.started.workflow_digest)
    return [problemIn(path, 'names a different workflow than the run')];
  return verifyShown(context, path, request.data.evidence);
}

/** Evidence of an attempt that died before its end was recorded was shown, too; it is compared with the file itself. */
async function verifyShown(
  context: VerifyContext,
  path: string,
  evidence: z.infer<typeof evidenceSchema>,
): Promise<readonly VerifyProblem[]> {
  const problems: VerifyProblem[] = [];
  for (const shown of evidence) {
    const recorded = context.artifacts.get(shown.path)?.payload.sha256;
    const sha256 = recorded ?? (await digestOf(context, shown.path))?.sha256;
    if (sha256 !== shown.sha256)
      problems.push(problemIn(path, `shows ${shown.path} with another sha256 than it has`));
  }
  return problems;
}

async function verifyOutcome(
  context: VerifyContext,
  event: Answered,
  request: Requested | null,
): Promise<readonly VerifyProblem[]> {
  const where = `events.ndjson line ${lineOf(event)}`;
  const artifact = artifactOf(context, event, 'gate_outcome');
  if (artifact === undefined)
    return [problemIn('events.ndjson', 'uses an answer that was not recorded', lineOf(event))];
  const { path } = artifact.payload;
  const outcome = outcomeSchema.safeParse(await readJson(context, path));
  if (!outcome.success) return [problemIn(path, 'is not an answer')];
  const { answer, by, comment, answered_at, from, request_sha256, tree, workflow_digest, evidence } =
    outcome.data;
  const { payload } = event;
  if (answer !== event.event_type || by !== payload.by)
    return [problemIn(path, `is not the answer of ${where}`)];
  const isElsewhere = JSON.stringify(from) !== JSON.stringify(payload.from);
  const hasOtherFeedback =
    JSON.stringify(typedFeedbackOf(outcome.data)) !== JSON.stringify(typedFeedbackOf(payload));
  if (comment !== payload.comment || answered_at !== payload.answered_at || isElsewhere || hasOtherFeedback)
    return [problemIn(path, `differs from ${where}`)];
  if (request_sha256 !== request?.payload.request_sha256 || tree !== request.payload.tree)
    return [problemIn(path, 'answers another request')];
  if ((workflow_digest ?? context.view.started.workflow_digest) !== context.view.started.workflow_digest)
    return [problemIn(path, 'names a different workflow than the run')];
  return verifyShown(context, path, evidence ?? []);
}
