import { ownValue } from '../contracts/own-value.ts';
import type { EventDraft } from '../contracts/run/event.ts';
import { evolve } from './evolve.ts';
import type { Plan } from './plan.ts';
import type { Judgement, KernelInput, StepResult } from './protocol.ts';
import type { Entry, RunState } from './state.ts';

/** An input that is impossible in the current state: a broken invariant, never a user error. */
export class KernelBug extends Error {
  override readonly name = 'KernelBug';
}

export interface Log {
  readonly events: EventDraft[];
  state: RunState;
  readonly emit: (event: EventDraft) => void;
}

export function createLog(initial: RunState): Log {
  const log: Log = {
    events: [],
    state: initial,
    emit: (event) => {
      log.events.push(event);
      log.state = evolve(log.state, event);
    },
  };
  return log;
}

export const QUIET_END = {
  outcome: 'completed',
  changed: false,
  tree: null,
  validators: [],
  usage: null,
  reason: null,
} as const satisfies Omit<StepResult, 'violations'>;

export function endStep(log: Log, active: Entry, result: StepResult): void {
  for (const violation of result.violations)
    log.emit({ event_type: 'policy_violation', step_id: active.stepId, payload: { ...violation } });
  const proposing = result.validators.filter((validator) => (validator.proposals ?? 0) > 0);
  if (proposing.length > 0) {
    log.emit({
      event_type: 'golden_gate_pending',
      step_id: active.stepId,
      payload: {
        validators: proposing.map((validator) => validator.key),
        proposals: proposing.reduce((sum, validator) => sum + (validator.proposals ?? 0), 0),
      },
    });
  }
  closeStep(log, active, result);
}

export function closeStep(log: Log, active: Entry, result: Omit<StepResult, 'violations'>): void {
  const { outcome, changed, tree, validators, usage, reason } = result;
  log.emit({
    event_type: outcome === 'completed' ? 'step_completed' : 'step_failed',
    step_id: active.stepId,
    payload: { outcome, attempt: active.attempt, changed, tree, validators: [...validators], usage, reason },
  });
}

/** Waits for a time, not for an approval: `gate` is null. */
export function parkStep(
  log: Log,
  active: Entry,
  { until, reason }: Extract<KernelInput, { kind: 'parked' }>,
): void {
  log.emit({
    event_type: 'step_waiting',
    step_id: active.stepId,
    payload: { gate: null, attempt: active.attempt, until, reason },
  });
}

export function recordDecision(log: Log, plan: Plan, active: Entry, decision: Judgement): void {
  const step = ownValue(plan.stepsById, active.stepId);
  const revises = step?.opcode === 'EVALUATE' && step.revision !== null && decision.status === 'partial';
  log.emit({
    event_type: 'decision_recorded',
    step_id: active.stepId,
    payload: {
      attempt: active.attempt,
      status: decision.status,
      next_step: decision.nextStep,
      risk_flags: [...decision.riskFlags],
      blocker_codes: [...decision.blockerCodes],
      reason: decision.reason,
      refinement_requested: revises,
      planner: decision.planner,
    },
  });
}

export function requestGate(
  log: Log,
  plan: Plan,
  active: Entry,
  input: Extract<KernelInput, { kind: 'gate_opened' }>,
): void {
  const step = ownValue(plan.stepsById, active.stepId);
  if (step?.opcode !== 'GATE') throw new KernelBug(`step ${active.stepId} is not a gate`);
  log.emit({
    event_type: 'step_waiting',
    step_id: step.id,
    payload: { gate: step.gate, attempt: active.attempt },
  });
  log.emit({
    event_type: 'gate_requested',
    step_id: step.id,
    payload: {
      gate: step.gate,
      attempt: active.attempt,
      reason: input.reason,
      approvers: [...step.approvers],
      timeout_ms: step.timeoutMs,
      tree: input.tree,
      request_sha256: input.requestSha256,
    },
  });
}
