import { ownValue } from '../contracts/own-value.ts';
import type { LifecycleState, RouteKey, RunOutcome } from '../contracts/vocabulary.ts';
import type { Plan } from './plan.ts';
import type { RunEnd, RunState } from './state.ts';

/** Whether a STOP reached through this key ends the run successfully. */
export function isSuccessKey(key: RouteKey): boolean {
  return key === 'completed' || key === 'success' || key === 'gate_approved';
}

/**
 * The reasons are recorded, and a replay compares them with the record: never reword them.
 *
 * How the run ends at its current stage, or null if it has not reached an end. Termination is the route key that
 * led to STOP; lifecycle and outcome follow from it and from whether the files are verified.
 */
export function endOf(plan: Plan, state: RunState): RunEnd | null {
  const { stage } = state;
  if (stage.kind === 'stopping') {
    const outcome = stage.termination === 'workflow_error' ? 'error' : stage.termination;
    return { lifecycle: 'failed', outcome, termination: stage.termination, reason: stage.reason };
  }
  if (stage.kind === 'routed' && stage.to === 'STOP' && ownValue(plan.stepsById, stage.to) === undefined)
    return endBy(state, null);
  if ((stage.kind === 'running' || stage.kind === 'left') && stage.opcode === 'STOP') {
    const step = ownValue(plan.stepsById, stage.stepId);
    return endBy(state, step?.opcode === 'STOP' ? step.reason : null);
  }
  return null;
}

/** The end of a run whose preparation failed: no step has started, so there is no route key. */
export function preparationEnd(reason: string): RunEnd {
  return { lifecycle: 'failed', outcome: 'error', termination: 'error', reason };
}

function endBy(state: RunState, reason: string | null): RunEnd {
  const termination = state.via ?? 'completed';
  if (isSuccessKey(termination) && state.unevaluatedViolations > 0) {
    return {
      lifecycle: 'failed',
      outcome: 'policy',
      termination,
      reason: 'a policy violation was not judged by any evaluation',
    };
  }
  return { ...classifyEnd(termination, state.unverified), termination, reason };
}

function classifyEnd(
  key: RouteKey,
  unverified: boolean,
): { readonly lifecycle: LifecycleState; readonly outcome: RunOutcome } {
  switch (key) {
    case 'completed':
    case 'success':
    case 'gate_approved':
      return { lifecycle: 'completed', outcome: unverified ? 'unverified' : 'success' };
    case 'partial':
    case 'blocked':
    case 'needs_human':
      return { lifecycle: 'blocked', outcome: key };
    case 'gate_rejected':
      return { lifecycle: 'blocked', outcome: 'rejected' };
    case 'gate_timed_out':
      return { lifecycle: 'blocked', outcome: 'timed_out' };
    case 'error':
    case 'killed_timeout':
    case 'killed_idle':
      return { lifecycle: 'failed', outcome: 'error' };
    case 'killed_policy':
      return { lifecycle: 'failed', outcome: 'policy' };
    case 'unsafe':
      return { lifecycle: 'failed', outcome: 'unsafe' };
  }
}
