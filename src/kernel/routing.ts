import { ownValue } from '../contracts/own-value.ts';
import { type RouteKey, STOP } from '../contracts/vocabulary.ts';
import { isSuccessKey } from './ending.ts';
import type { EvaluateStep, Plan, PlanStep, Target } from './plan.ts';
import type { RunState, Stage } from './state.ts';

export type Route =
  | { readonly ok: true; readonly to: Target; readonly plannerNextStep: string | null }
  | { readonly ok: false; readonly message: string };

/**
 * Selects the route out of a closed step. A checked plan has no invalid targets; the kernel checks them anyway, so
 * that it doesn't depend on the checker. The messages are recorded, and a replay compares them with the record: never
 * reword them.
 */
export function selectRoute(plan: Plan, state: RunState, left: Extract<Stage, { kind: 'left' }>): Route {
  const step = ownValue(plan.stepsById, left.stepId);
  if (step === undefined) return refuse(`step "${left.stepId}" is not in the workflow`);
  const to = targetOf(step, left.key);
  if (to === null) return refuse(`step "${step.id}" has no route for ${left.key}`);
  if (to !== STOP && ownValue(plan.stepsById, to) === undefined)
    return refuse(`the route ${left.key} of step "${step.id}" leads to "${to}", which is not a step`);
  if (step.opcode === 'EVALUATE') {
    const problem = findEvaluateProblem(plan, state, step, left, to);
    if (problem !== null) return refuse(problem);
  }
  if (state.pendingGoldens.length > 0 && endsAsSuccess(plan, state, left, to)) {
    return refuse(
      `step "${step.id}" would end the run as a success while proposed goldens of ${state.pendingGoldens.join(', ')} await a gate`,
    );
  }
  return { ok: true, to, plannerNextStep: left.nextStep !== to ? left.nextStep : null };
}

function refuse(message: string): Route {
  return { ok: false, message };
}

function targetOf(step: PlanStep, key: RouteKey): Target | null {
  if (step.opcode === 'STOP') return null;
  const routes: Readonly<Record<string, Target | null>> = step.routes;
  return ownValue(routes, key) ?? null;
}

function isStop(plan: Plan, target: Target): boolean {
  const step = ownValue(plan.stepsById, target);
  return step === undefined ? target === STOP : step.opcode === 'STOP';
}

function endsAsSuccess(
  plan: Plan,
  state: RunState,
  left: Extract<Stage, { kind: 'left' }>,
  to: Target,
): boolean {
  if (!isStop(plan, to) || state.unevaluatedViolations > 0) return false;
  const transparent = left.opcode === 'ROLLBACK' && left.key === 'completed';
  return isSuccessKey(transparent ? (state.via ?? left.key) : left.key);
}

function findEvaluateProblem(
  plan: Plan,
  state: RunState,
  step: EvaluateStep,
  left: Extract<Stage, { kind: 'left' }>,
  to: Target,
): string | null {
  if (left.nextStep !== null && !step.allowedNextSteps.includes(left.nextStep))
    return `the planner of step "${step.id}" asked for next step "${left.nextStep}", which is not in allowed_next_steps`;
  const stops = isStop(plan, to);
  if (!stops && !step.allowedNextSteps.includes(to))
    return `the route ${left.key} of step "${step.id}" leads to "${to}", which is not in allowed_next_steps`;
  const opcode = ownValue(plan.stepsById, to)?.opcode;
  if (left.key === 'unsafe' && !stops && opcode !== 'ROLLBACK')
    return `step "${step.id}" routes unsafe to "${to}", which is neither a ROLLBACK nor STOP`;
  if (left.key === 'needs_human' && !stops && opcode !== 'GATE')
    return `step "${step.id}" routes needs_human to "${to}", which is neither a GATE nor STOP`;
  if (left.key === 'partial' && step.revision?.step === to) {
    const spent = ownValue(state.refinements, to) ?? 0;
    if (spent >= step.revision.maxAttempts)
      return `step "${step.id}" asks for another refinement by "${to}", and all ${step.revision.maxAttempts} are spent`;
  }
  return null;
}

/** The refinement that entering `to` spends: it is the revision step of an evaluation that returned `partial`. */
export function findRefinement(plan: Plan, state: RunState, from: string | null, to: Target) {
  const step = from === null ? undefined : ownValue(plan.stepsById, from);
  if (step?.opcode !== 'EVALUATE' || step.revision?.step !== to || state.via !== 'partial') return null;
  return { evaluateStep: step.id, max: step.revision.maxAttempts };
}

/** The cycle that another visit of `stepId` would close, starting at its last visit. */
export function findLoop(path: readonly string[], stepId: string): readonly string[] {
  const last = path.lastIndexOf(stepId);
  return last === -1 ? [stepId] : [...path.slice(last), stepId];
}
