import { plannerDecisionSchema } from '../../contracts/planner/planner-decision.ts';
import type { PlannerVector } from '../../contracts/planner/planner-vector.ts';
import { didYouMean } from '../../diagnostics/did-you-mean.ts';
import { parseEnvelope } from '../../planner/envelope.ts';
import { vectorFrom } from '../../planner/vector.ts';
import { readEvidenceJson } from '../../runtime/evidence/evidence.ts';
import type { StepView } from '../../runtime/record/run-view.ts';
import { attemptName, type OpenRun } from '../runs/open-run.ts';
import { UseCaseError } from '../use-case-error.ts';

/** Makes a vector from an evaluation of a run, so that later versions of the planner must decide the same. */
export async function recordVector(run: OpenRun, wanted: string): Promise<PlannerVector> {
  const { directory } = run.record;
  const step = findEvaluation(run, wanted);
  const input = parseEnvelope(await readEvidenceJson(directory, step, 'planner_input'));
  const decision = plannerDecisionSchema.safeParse(
    await readEvidenceJson(directory, step, 'planner_decision'),
  );
  if (!input.ok || !decision.success)
    throw new UseCaseError(
      `the evidence of ${attemptName(step)} can't be read`,
      `conductor verify ${run.view.runId} says what is wrong with it`,
      'failed',
    );
  const { workflow_id: workflow } = run.view.started;
  const attempt = step.attempt === 1 ? step.stepId : `${step.stepId}-${step.attempt}`;
  // The first 13 characters are the creation time: short enough for a file name, unique enough between repositories.
  const id = `${workflow}_${attempt}_${run.view.runId.slice(0, 13)}`;
  const summary = `Evaluation ${attemptName(step)} of a run of ${workflow}: ${decision.data.status}.`;
  return vectorFrom(id, summary, input.envelope, decision.data);
}

/** `judge` is the last evaluation by that step, `judge@2` its second. */
function findEvaluation({ view }: OpenRun, wanted: string): StepView {
  const evaluations = view.steps.filter((step) => step.opcode === 'EVALUATE' && step.termination !== null);
  const found = evaluations.findLast((step) => attemptName(step) === wanted || step.stepId === wanted);
  if (found !== undefined) return found;
  const names = evaluations.map(attemptName);
  if (names.length === 0)
    throw new UseCaseError(`run ${view.runId} has no evaluation yet`, 'an EVALUATE step makes one');
  const near = didYouMean(wanted, names);
  throw new UseCaseError(
    `run ${view.runId} has no evaluation "${wanted}"`,
    near === null ? `it has ${names.join(', ')}` : `did you mean ${near}?`,
  );
}
