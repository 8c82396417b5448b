import { isExpectedFailure } from '../../contracts/expected-failure.ts';
import { ownValue } from '../../contracts/own-value.ts';
import type { Termination } from '../../contracts/vocabulary.ts';
import type { Effect } from '../../kernel/protocol.ts';
import type { RunEnd } from '../../kernel/state.ts';
import { runAgent } from '../effects/agent/run-agent.ts';
import { askPlanner } from '../effects/ask-planner.ts';
import { finishRun } from '../effects/finish.ts';
import { acceptGoldens, failAcceptance } from '../effects/gate/accept-goldens.ts';
import { openGate } from '../effects/gate/open-gate.ts';
import { prepareRun } from '../effects/prepare-run.ts';
import { rollBack } from '../effects/roll-back.ts';
import { violationsSeen } from '../effects/step-failure.ts';
import { runValidation } from '../effects/validation/run-validation.ts';
import { openEvidence } from '../evidence/evidence.ts';
import type { EffectResult } from '../run-context.ts';
import type { DriveContext } from './drive-context.ts';

type StepEffect = Exclude<Effect, { kind: 'prepare' | 'await_gate' | 'await_time' | 'finish' }>;
type PerformedEffect = StepEffect | Extract<Effect, { kind: 'prepare' }>;

/**
 * Performs an effect. An expected failure, such as a full disk, ends the step and not the run; before the first step,
 * it ends the preparation.
 */
export async function perform(context: DriveContext, effect: PerformedEffect): Promise<EffectResult> {
  try {
    await context.openWorkspace();
    if (effect.kind === 'prepare') return await prepareRun(context);
    return await performStep(context, effect);
  } catch (error) {
    if (!isExpectedFailure(error)) throw error;
    if (effect.kind === 'prepare')
      return { records: [], input: { kind: 'preparation_failed', reason: error.message } };
    return failureOf(context, effect, error);
  }
}

function performStep(context: DriveContext, effect: StepEffect): Promise<EffectResult> {
  const step = ownValue(context.plan.stepsById, effect.stepId);
  switch (effect.kind) {
    case 'run_agent':
      if (step?.opcode === 'RUN_AGENT') return runAgent(context, effect, step);
      break;
    case 'run_validation':
      if (step?.opcode === 'RUN_VALIDATION') return runValidation(context, effect, step);
      break;
    case 'ask_planner':
      if (step?.opcode === 'EVALUATE') return askPlanner(context, effect, step);
      break;
    case 'open_gate':
      if (step?.opcode === 'GATE') return openGate(context, effect, step);
      break;
    case 'accept_goldens':
      return acceptGoldens(context, effect);
    case 'roll_back':
      return rollBack(context, effect);
  }
  throw new Error(`effect ${effect.kind} does not fit step ${effect.stepId}`);
}

/** Without evidence, an evaluation is blocked. Files of a step that had started count as changed. */
async function failureOf(context: DriveContext, effect: StepEffect, failure: Error): Promise<EffectResult> {
  const reason = failure.message;
  if (effect.kind === 'accept_goldens')
    return failAcceptance(context, effect, failure, context.state().snapshot !== null);
  if (effect.kind === 'ask_planner')
    return {
      records: await writeFailureManifest(context, effect, 'blocked', reason),
      input: {
        kind: 'evaluated',
        decision: {
          status: 'blocked',
          nextStep: null,
          riskFlags: [],
          blockerCodes: ['evidence_unavailable'],
          reason,
          planner: context.deps.planner.name,
        },
      },
    };
  return {
    records: await writeFailureManifest(context, effect, 'error', reason),
    input: {
      kind: 'step_ended',
      outcome: 'error',
      changed: effect.kind === 'roll_back' || context.state().snapshot !== null,
      tree: null,
      validators: [],
      usage: null,
      reason,
      violations: violationsSeen(failure),
    },
  };
}

/**
 * Writes a manifest with the reason of the failure. If even that fails, on a full disk for example, the error
 * propagates and the drive stops; resuming the run starts the step again.
 */
async function writeFailureManifest(
  { directory, deps }: DriveContext,
  effect: StepEffect,
  termination: Termination,
  reason: string,
): Promise<EffectResult['records']> {
  const evidence = await openEvidence(directory, effect, deps.clock, deps.project.secrets);
  return evidence.close(termination, reason);
}

/** Ends a run. This must work even if its workspace is unusable. */
export async function finish(context: DriveContext, end: RunEnd): Promise<EffectResult> {
  const unprepared =
    context.state().stage.kind === 'preparing' ? { preparationFailure: end.reason ?? '' } : {};
  try {
    await context.openWorkspace();
    const { finished, records } = await finishRun(context, end);
    return { records, input: { kind: 'finished', ...unprepared, ...finished } };
  } catch (error) {
    if (!isExpectedFailure(error)) throw error;
    const { checkoutPath } = context.workspace;
    const note = `the run's work could not be transferred to your repository (its workspace is ${checkoutPath}): ${error.message}`;
    // If this write fails, too, the run doesn't end: its work would be lost because of a disk that is full today.
    await context.directory.write('transcript.md', `# Run ${context.directory.runId}\n\n${note}\n`);
    return {
      records: [{ event_type: 'status_updated', step_id: null, payload: { note } }],
      input: { kind: 'finished', ...unprepared, tree: null, headSha: null },
    };
  }
}
