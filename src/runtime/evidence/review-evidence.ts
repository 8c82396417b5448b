import * as z from 'zod';
import { ownValue } from '../../contracts/own-value.ts';
import { type PlannerInput, reviewFindingSchema } from '../../contracts/planner/planner-input.ts';
import { REVIEW_VERDICTS } from '../../contracts/run/agent-result.ts';
import { parseJson } from '../../text/json.ts';
import type { StepView } from '../record/run-view.ts';
import type { RunContext } from '../run-context.ts';
import { readManifest } from './evidence.ts';
import { intentOf } from './step-intent.ts';

export const REVIEW_ROLE = 'review_report';

const storedReviewSchema = z.looseObject({
  verdict: z.enum(REVIEW_VERDICTS).nullable(),
  findings: z.array(reviewFindingSchema),
});

/**
 * The review of the current work: the latest one, unless an agent changed the work afterwards. A review that ended
 * without a verdict still counts as expected.
 */
function latestReview(context: RunContext, done: readonly StepView[]): StepView | null {
  for (const step of done.toReversed()) {
    if (step.opcode === 'ROLLBACK' && step.termination === 'completed') return null;
    const planned = ownValue(context.plan.stepsById, step.stepId);
    if (planned?.opcode !== 'RUN_AGENT') continue;
    switch (intentOf(context, planned)) {
      case 'review':
        return step;
      case 'implementation':
      case 'none':
        if (changedFiles(context, step)) return null;
        break;
      case 'analysis':
      case 'harness':
        break;
    }
  }
  return null;
}

function changedFiles(context: RunContext, { stepId, attempt }: StepView): boolean {
  return context
    .events()
    .some(
      (event) =>
        (event.event_type === 'step_completed' || event.event_type === 'step_failed') &&
        event.step_id === stepId &&
        event.payload.attempt === attempt &&
        event.payload.changed,
    );
}

/** Findings without a reference of their own refer to the file that contains the review. */
export async function reviewEvidence(
  context: RunContext,
  done: readonly StepView[],
): Promise<PlannerInput['evidence']['review']> {
  const step = latestReview(context, done);
  if (step === null) return null;
  const manifest = await readManifest(context.directory, step);
  const artifact = manifest?.artifacts.find(({ role }) => role === REVIEW_ROLE);
  const text = artifact === undefined ? null : await context.directory.read(artifact.path);
  const parsed = storedReviewSchema.safeParse(text === null ? null : parseJson(text));
  if (!parsed.success) return { expected: true, verdict: null, findings: [] };
  const { verdict, findings } = parsed.data;
  const ref = artifact?.path ?? null;
  return {
    expected: true,
    verdict,
    findings: findings.map((finding) => ({ ...finding, artifact_ref: finding.artifact_ref ?? ref })),
  };
}
