import { ownValue } from '../contracts/own-value.ts';
import type { Opcode } from '../contracts/vocabulary.ts';
import { findBudgetProblem } from './budgets.ts';
import { decideEnd, preparationEnd } from './ending.ts';
import { activeStepOf, observeTree, routedTo } from './evolve.ts';
import type { Plan } from './plan.ts';
import type { Effect, KernelDecision, KernelInput } from './protocol.ts';
import { findLoop, findRefinement, selectRoute } from './routing.ts';
import type { ActiveStep, RunState, Stage } from './state.ts';
import {
  closeStep,
  createLog,
  endStep,
  KernelBug,
  type Log,
  parkStep,
  QUIET_END,
  recordDecision,
  requestGate,
} from './step-log.ts';

/** Recovery attempts of one visit before the step fails with `error`. */
export const MAX_RECOVERIES = 3;

/**
 * Decides what a run does next: the events to append, and at most one effect to run once they are durable. Pure. The
 * texts of events are recorded, and a replay compares them with the record: never reword them.
 */
export function decide(plan: Plan, state: RunState, input: KernelInput): KernelDecision {
  if (state.stage.kind === 'ended') return { events: [], effect: null, state };
  const log = createLog(state);
  apply(log, plan, input);
  const restartsVisit = input.kind === 'gate_changed' || input.kind === 'wait_over';
  const effect = restartsVisit ? nextEffect(plan, log.state) : advance(log, plan, input);
  return { events: log.events, effect, state: log.state };
}

function apply(log: Log, plan: Plan, input: KernelInput): void {
  const { stage } = log.state;
  switch (input.kind) {
    case 'start':
      expectStage(stage, input, 'new');
      log.emit({ event_type: 'run_started', step_id: null, payload: input.run });
      return;
    case 'prepared':
    case 'preparation_failed':
      expectStage(stage, input, 'preparing');
      return;
    case 'step_ended':
      endStep(log, isAccepting(stage) ? stage : expectRunning(stage, input, ENDS_MECHANICALLY), input);
      return;
    case 'parked':
      parkStep(log, expectRunning(stage, input, ['RUN_AGENT']), input);
      return;
    case 'wait_over':
      restartVisit(log, expectStage(stage, input, 'parked'));
      return;
    case 'rolled_back': {
      const active = expectRunning(stage, input, ['ROLLBACK']);
      log.emit({ event_type: 'rollback_completed', step_id: active.stepId, payload: input.rollback });
      closeStep(log, active, {
        ...QUIET_END,
        changed: input.rollback.tree_before !== input.rollback.tree_after,
        tree: input.rollback.tree_after,
      });
      return;
    }
    case 'evaluated':
      recordDecision(log, plan, expectRunning(stage, input, ['EVALUATE']), input.decision);
      return;
    case 'gate_opened':
      requestGate(log, plan, expectRunning(stage, input, ['GATE']), input);
      return;
    case 'gate_answered': {
      const active = expectStage(stage, input, 'waiting');
      log.emit({
        event_type: input.answer,
        step_id: active.stepId,
        payload: {
          attempt: active.attempt,
          by: input.by,
          comment: input.comment,
          answered_at: input.answeredAt,
          ...(input.from === undefined ? {} : { from: input.from }),
          ...input.typed,
        },
      });
      return;
    }
    case 'goldens_accepted': {
      const active = expectStage(stage, input, 'answered');
      closeStep(log, active, { ...QUIET_END, changed: input.changed, tree: input.tree });
      return;
    }
    case 'gate_changed':
      restartVisit(log, expectStage(stage, input, 'waiting'));
      return;
    case 'resume':
      resume(log, input.reason);
      return;
    case 'cancel':
      if (stage.kind !== 'stopping')
        log.emit({
          event_type: 'run_cancelled',
          step_id: null,
          payload: { by: input.by, reason: input.reason },
        });
      return;
    case 'finished':
      finish(log, plan, input);
      return;
  }
}

function expectStage<K extends Stage['kind']>(
  stage: Stage,
  input: KernelInput,
  kind: K,
): Extract<Stage, { kind: K }> {
  if (stage.kind !== kind) throw new KernelBug(`input ${input.kind} does not fit stage ${stage.kind}`);
  return stage as Extract<Stage, { kind: K }>;
}

/**
 * Goldens are written before the gate step is closed, so a run that crashes in between writes them again
 * when it resumes.
 */
function isAccepting(stage: Stage): stage is Extract<Stage, { kind: 'answered' }> {
  return stage.kind === 'answered' && stage.goldens.length > 0;
}

/** EVALUATE ends with a decision and STOP ends the run, so neither takes `step_ended`. */
const ENDS_MECHANICALLY: readonly Opcode[] = ['RUN_AGENT', 'RUN_VALIDATION', 'GATE', 'ROLLBACK'];

function expectRunning(stage: Stage, input: KernelInput, opcodes: readonly Opcode[]): ActiveStep {
  const running = expectStage(stage, input, 'running');
  if (!opcodes.includes(running.opcode))
    throw new KernelBug(`input ${input.kind} does not fit a step of opcode ${running.opcode}`);
  return running;
}

/** Waiting is not an interruption, so resuming a waiting or parked run records no event. */
function resume(log: Log, reason: string): void {
  const { stage, attempts } = log.state;
  if (stage.kind === 'waiting' || stage.kind === 'parked' || stage.kind === 'new') return;
  const interrupted = stage.kind === 'running' && stage.opcode !== 'STOP';
  log.emit({
    event_type: 'run_resumed',
    step_id: interrupted ? stage.stepId : null,
    payload: { reason, attempt: interrupted ? (ownValue(attempts, stage.stepId) ?? 0) + 1 : null },
  });
}

function finish(
  log: Log,
  plan: Plan,
  { tree, headSha, files, preparationFailure }: Extract<KernelInput, { kind: 'finished' }>,
): void {
  const isUnprepared = log.state.stage.kind === 'preparing' && preparationFailure !== undefined;
  const end = isUnprepared
    ? preparationEnd(preparationFailure)
    : decideEnd(plan, tree === null ? log.state : { ...log.state, ...observeTree(log.state, tree) });
  if (end === null) throw new KernelBug(`a run at stage ${log.state.stage.kind} has no end`);
  const { stage } = log.state;
  if (stage.kind === 'running') closeStep(log, stage, QUIET_END);
  log.emit({
    event_type: 'run_completed',
    step_id: null,
    payload: {
      lifecycle_state: end.lifecycle,
      outcome: end.outcome,
      termination: end.termination,
      reason: end.reason,
      head_sha: headSha,
      ...(files === undefined ? {} : { files }),
    },
  });
}

/** Emits the events that follow from the stage alone, until an effect is due or no more events follow. */
function advance(log: Log, plan: Plan, input: KernelInput): Effect | null {
  for (;;) {
    const end = decideEnd(plan, log.state);
    if (end !== null) return { kind: 'finish', end };
    const { stage } = log.state;
    switch (stage.kind) {
      case 'new':
      case 'ended':
      case 'stopping':
        return null;
      case 'preparing': {
        if (input.kind === 'preparation_failed') return { kind: 'finish', end: preparationEnd(input.reason) };
        if (input.kind !== 'prepared') return { kind: 'prepare' };
        // Preparation has no end event: the first step_started marks its end.
        if (enterTarget(log, plan, routedTo(null, stage.to))) return nextEffect(plan, log.state);
        break;
      }
      case 'evaluated':
        closeEvaluated(log, stage);
        break;
      case 'answered':
        if (stage.feedback === null && isAccepting(stage))
          return { ...activeStepOf(stage), kind: 'accept_goldens', restoreTo: log.state.snapshot };
        closeAnswered(log, stage);
        break;
      case 'left':
        leaveStep(log, plan, stage);
        break;
      case 'routed':
        if (enterTarget(log, plan, stage)) return nextEffect(plan, log.state);
        break;
      case 'waiting':
        return { ...activeStepOf(stage), kind: 'await_gate' };
      case 'parked':
        return { ...activeStepOf(stage), kind: 'await_time', until: stage.until };
      case 'running':
        if (input.kind !== 'resume') throw new KernelBug(`step ${stage.stepId} is under way`);
        if (recoverStep(log, stage)) return nextEffect(plan, log.state);
        break;
    }
  }
}

function closeEvaluated(log: Log, stage: Extract<Stage, { kind: 'evaluated' }>): void {
  if (stage.status === 'success' || stage.status === 'partial') {
    closeStep(log, stage, QUIET_END);
    return;
  }
  log.emit({ event_type: 'step_blocked', step_id: stage.stepId, payload: { status: stage.status } });
}

function closeAnswered(log: Log, stage: Extract<Stage, { kind: 'answered' }>): void {
  if (stage.feedback !== null) {
    log.emit({ event_type: 'human_feedback', step_id: stage.stepId, payload: { ...stage.feedback } });
    return;
  }
  closeStep(log, stage, QUIET_END);
}

function leaveStep(log: Log, plan: Plan, stage: Extract<Stage, { kind: 'left' }>): void {
  const overspent = findBudgetProblem(plan, log.state, stage.stepId);
  if (overspent !== null) {
    log.emit({
      event_type: 'policy_violation',
      step_id: stage.stepId,
      payload: { class: 'budget_exceeded', subject: overspent.subject, message: overspent.message },
    });
    return;
  }
  const route = selectRoute(plan, log.state, stage);
  if (!route.ok) {
    log.emit({ event_type: 'workflow_error', step_id: stage.stepId, payload: { message: route.message } });
    return;
  }
  log.emit({
    event_type: 'route_selected',
    step_id: stage.stepId,
    payload: { key: stage.key, to: route.to, planner_next_step: route.plannerNextStep },
  });
}

/** Returns false when the target can't be entered, which ends the run with a workflow error. */
function enterTarget(log: Log, plan: Plan, stage: Extract<Stage, { kind: 'routed' }>): boolean {
  const problem = enterStep(log, plan, stage);
  if (problem !== null)
    log.emit({ event_type: 'workflow_error', step_id: stage.to, payload: { message: problem } });
  return problem === null;
}

/** Enters the target of a route, or returns the message of the workflow error. */
function enterStep(log: Log, plan: Plan, stage: Extract<Stage, { kind: 'routed' }>): string | null {
  const step = ownValue(plan.stepsById, stage.to);
  if (step === undefined) return `"${stage.to}" is not a step of the workflow`;
  const visit = (ownValue(log.state.visits, step.id) ?? 0) + 1;
  if (visit > step.maxVisits) {
    const loop = findLoop(log.state.path, step.id).join(' -> ');
    return `step "${step.id}" was entered ${step.maxVisits} times, as often as max_visits allows: ${loop}`;
  }
  const refinement = stage.refinementCounted ? null : findRefinement(plan, log.state, stage.from, step.id);
  if (refinement !== null) {
    log.emit({
      event_type: 'refinement_spent',
      step_id: step.id,
      payload: {
        evaluate_step: refinement.evaluateStep,
        spent: (ownValue(log.state.refinements, step.id) ?? 0) + 1,
        max: refinement.max,
      },
    });
  }
  const attempt = (ownValue(log.state.attempts, step.id) ?? 0) + 1;
  log.emit({
    event_type: 'step_started',
    step_id: step.id,
    payload: { opcode: step.opcode, attempt, visit, recovery: false },
  });
  return null;
}

/**
 * Restarts an interrupted step. Returns false when it was interrupted too often and fails instead; what its last
 * attempt did to the files is then unknown, so they count as changed.
 */
function recoverStep(log: Log, stage: Extract<Stage, { kind: 'running' }>): boolean {
  if (log.state.recoveries >= MAX_RECOVERIES) {
    const reason = `interrupted ${MAX_RECOVERIES + 1} times in a row`;
    closeStep(log, stage, {
      ...QUIET_END,
      outcome: 'error',
      changed: stage.opcode === 'ROLLBACK' || log.state.snapshot !== null,
      reason,
    });
    return false;
  }
  restartVisit(log, stage);
  return true;
}

/** Starts a new attempt of the same visit. It gets its own evidence folder. */
function restartVisit(log: Log, active: ActiveStep): void {
  log.emit({
    event_type: 'step_started',
    step_id: active.stepId,
    payload: { opcode: active.opcode, attempt: active.attempt + 1, visit: active.visit, recovery: true },
  });
}

function nextEffect(plan: Plan, state: RunState): Effect | null {
  const { stage } = state;
  if (stage.kind !== 'running') return null;
  const active = activeStepOf(stage);
  const step = ownValue(plan.stepsById, stage.stepId);
  if (step === undefined) throw new KernelBug(`step ${stage.stepId} is not in the plan`);
  switch (step.opcode) {
    case 'RUN_AGENT':
      return { ...active, kind: 'run_agent', restoreTo: state.snapshot };
    case 'RUN_VALIDATION':
      return { ...active, kind: 'run_validation', restoreTo: state.snapshot };
    case 'EVALUATE':
      return { ...active, kind: 'ask_planner' };
    case 'GATE':
      return { ...active, kind: 'open_gate' };
    case 'ROLLBACK':
      return {
        ...active,
        kind: 'roll_back',
        target: step.target,
        commit: step.target === 'pre_step' ? (state.lastAgent?.commit ?? null) : null,
      };
    case 'STOP': {
      const end = decideEnd(plan, state);
      if (end === null) throw new KernelBug('a STOP step has no end');
      return { kind: 'finish', end };
    }
  }
}
