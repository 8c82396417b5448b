import { ownValue } from '../contracts/own-value.ts';
import type { Usage } from '../contracts/run/agent-result.ts';
import type { EventDraft, EventPayload } from '../contracts/run/event.ts';
import { typedFeedbackOf } from '../contracts/run/typed-feedback.ts';
import type { GateEvent } from '../contracts/vocabulary.ts';
import { type ActiveStep, NO_USAGE, type RunState, roundCost, type Stage, type UsageTally } from './state.ts';

/**
 * Folds one event into the state. Never throws: an event that the kernel doesn't use leaves the state unchanged, and
 * so does every event after the end of the run.
 */
export function evolve(state: RunState, event: EventDraft): RunState {
  if (state.stage.kind === 'ended') return state;
  switch (event.event_type) {
    case 'run_started':
      return { ...state, tree: event.payload.base_tree, stage: firstStage(event.payload) };
    case 'step_started':
      return evolveStepStarted(state, event.step_id, event.payload);
    case 'runner_started':
      return evolveRunnerStarted(state, event.payload);
    case 'step_completed':
    case 'step_failed':
      return evolveStepEnded(state, event.payload);
    case 'step_blocked':
      return state.stage.kind === 'evaluated' ? { ...state, stage: leaveStage(state.stage) } : state;
    case 'decision_recorded':
      return {
        ...state,
        unevaluatedViolations: 0,
        stage: withActiveStep(state.stage, (active) => ({
          kind: 'evaluated',
          ...active,
          status: event.payload.status,
          nextStep: event.payload.next_step,
        })),
      };
    case 'policy_violation':
      return event.payload.class === 'budget_exceeded'
        ? { ...state, stage: { kind: 'stopping', termination: 'budget', reason: event.payload.message } }
        : { ...state, unevaluatedViolations: state.unevaluatedViolations + 1 };
    case 'gate_requested':
      return {
        ...state,
        ...observeTree(state, event.payload.tree),
        recoveries: 0,
        stage: withActiveStep(state.stage, (active) => ({ kind: 'waiting', ...active })),
      };
    case 'gate_approved':
      return {
        ...evolveGateAnswer(state, 'gate_approved', event.payload, state.pendingGoldens),
        pendingGoldens: [],
        snapshot: null,
      };
    case 'gate_rejected':
    case 'gate_timed_out':
      return evolveGateAnswer(state, event.event_type, event.payload, []);
    case 'human_feedback':
      return state.stage.kind === 'answered'
        ? { ...state, stage: { ...state.stage, feedback: null } }
        : state;
    case 'rollback_completed':
      return {
        ...state,
        tree: event.payload.tree_after,
        unverified: unverifiedAfterRollback(state, event.payload),
      };
    case 'refinement_spent':
      return {
        ...state,
        refinements: { ...state.refinements, [event.step_id ?? '']: event.payload.spent },
        stage: state.stage.kind === 'routed' ? { ...state.stage, refinementCounted: true } : state.stage,
      };
    case 'route_selected':
      return evolveRoute(state, event.payload);
    case 'workflow_error':
      return {
        ...state,
        stage: { kind: 'stopping', termination: 'workflow_error', reason: event.payload.message },
      };
    case 'run_cancelled':
      return {
        ...state,
        stage: {
          kind: 'stopping',
          termination: 'cancelled',
          reason: event.payload.reason ?? `cancelled by ${event.payload.by}`,
        },
      };
    case 'run_completed':
      return {
        ...state,
        stage: {
          kind: 'ended',
          end: {
            lifecycle: event.payload.lifecycle_state,
            outcome: event.payload.outcome,
            termination: event.payload.termination,
            reason: event.payload.reason,
          },
        },
      };
    case 'runner_completed':
      return evolveRunnerCompleted(state, event.payload.usage);
    case 'step_waiting':
      return evolveStepWaiting(state, event.payload);
    case 'golden_gate_pending':
    case 'artifact_recorded':
    case 'salvage_recorded':
    case 'setup_completed':
    case 'baseline_recorded':
    case 'notice_recorded':
    case 'notification_sent':
    case 'run_published':
    case 'status_updated':
    case 'run_resumed':
      return state;
  }
}

/**
 * Parks the step. Without `until` the step is a gate, which `gate_requested` handles. Parking is a clean stop, so it
 * resets the recovery count.
 */
function evolveStepWaiting(state: RunState, { until, reason = '' }: EventPayload<'step_waiting'>): RunState {
  if (until === undefined || state.stage.kind !== 'running') return state;
  return { ...state, recoveries: 0, stage: { ...activeStepOf(state.stage), kind: 'parked', until, reason } };
}

function evolveStepStarted(
  state: RunState,
  stepId: string | null,
  payload: EventPayload<'step_started'>,
): RunState {
  if (stepId === null) return state;
  return {
    ...state,
    stage: {
      kind: 'running',
      stepId,
      opcode: payload.opcode,
      attempt: payload.attempt,
      visit: payload.visit,
    },
    visits: { ...state.visits, [stepId]: payload.visit },
    attempts: { ...state.attempts, [stepId]: payload.attempt },
    recoveries: payload.recovery && state.stage.kind !== 'parked' ? state.recoveries + 1 : 0,
    path: payload.recovery ? state.path : [...state.path, stepId],
    snapshot: payload.recovery ? state.snapshot : null,
    usageCounted: false,
  };
}

function evolveRunnerStarted(state: RunState, payload: EventPayload<'runner_started'>): RunState {
  const { stage } = state;
  if (payload.snapshot === null) return state;
  const { commit, tree } = payload.snapshot;
  // This snapshot includes edits made since the gate opened, but not the accepted goldens, which are written next.
  if (stage.kind === 'answered') return { ...state, ...observeTree(state, tree), snapshot: commit };
  if (stage.kind !== 'running') return state;
  if (stage.opcode !== 'RUN_AGENT') return { ...state, snapshot: commit };
  return {
    ...state,
    snapshot: commit,
    lastAgent: {
      stepId: stage.stepId,
      attempt: stage.attempt,
      commit,
      unverifiedBefore: state.unverified,
    },
  };
}

/**
 * Records the current tree. If it differs from the tree that the last step left, the files were edited from outside
 * the run and count as unverified.
 */
export function observeTree(state: RunState, tree: string): Pick<RunState, 'tree' | 'unverified'> {
  return { tree, unverified: state.unverified || (state.tree !== null && state.tree !== tree) };
}

/** Counts usage as soon as the runner reports it, so an attempt that crashes before its step ends still counts. */
function evolveRunnerCompleted(state: RunState, usage: Usage | null): RunState {
  if (state.stage.kind !== 'running' || usage === null) return state;
  return { ...addStepUsage(state, state.stage.stepId, usage), usageCounted: true };
}

/** Adds usage to the totals of the run and of the step. */
export function addStepUsage(state: RunState, stepId: string, usage: Usage | null): RunState {
  return {
    ...state,
    usage: addUsage(state.usage, usage),
    usageByStep: {
      ...state.usageByStep,
      [stepId]: addUsage(ownValue(state.usageByStep, stepId) ?? NO_USAGE, usage),
    },
  };
}

/** A rollback to the start leaves nothing to verify; a rollback to a step restores the flag from before that step. */
function unverifiedAfterRollback(state: RunState, rollback: EventPayload<'rollback_completed'>): boolean {
  if (rollback.target === 'pre_run' || state.lastAgent === null) return false;
  // If the log last saw a different tree, an earlier attempt rolled back and crashed before it was recorded.
  const nothingUndone = rollback.tree_before === rollback.tree_after && state.tree === rollback.tree_after;
  if (nothingUndone) return state.unverified;
  return rollback.commit !== state.lastAgent.commit || state.lastAgent.unverifiedBefore;
}

function evolveStepEnded(state: RunState, payload: EventPayload<'step_completed'>): RunState {
  const { stage } = state;
  if (stage.kind === 'evaluated') return { ...state, stage: leaveStage(stage), recoveries: 0 };
  if (stage.kind === 'answered') return evolveAnswerClosed(state, stage, payload);
  if (stage.kind !== 'running') return state;
  const passedValidation = stage.opcode === 'RUN_VALIDATION' && payload.outcome === 'completed';
  // A successful rollback has already updated `unverified` through its rollback_completed event.
  const changed = payload.changed && !(stage.opcode === 'ROLLBACK' && payload.outcome === 'completed');
  return {
    ...(state.usageCounted ? state : addStepUsage(state, stage.stepId, payload.usage)),
    usageCounted: false,
    stage: { ...stage, kind: 'left', key: payload.outcome, nextStep: null },
    recoveries: 0,
    snapshot: null,
    tree: payload.tree ?? state.tree,
    unverified: passedValidation ? false : state.unverified || changed,
    pendingGoldens: foldGoldens(state.pendingGoldens, payload.validators),
  };
}

/** Closes an answered gate. Accepted goldens do not count as a change that needs another validation. */
function evolveAnswerClosed(
  state: RunState,
  stage: Extract<Stage, { kind: 'answered' }>,
  payload: EventPayload<'step_completed'>,
): RunState {
  const closed = { ...state, recoveries: 0, snapshot: null, tree: payload.tree ?? state.tree };
  if (payload.outcome === 'completed') return { ...closed, stage: leaveStage(stage) };
  return {
    ...closed,
    stage: { ...activeStepOf(stage), kind: 'left', key: payload.outcome, nextStep: null },
    unverified: state.unverified || payload.changed,
    pendingGoldens: stage.goldens,
  };
}

function foldGoldens(
  pending: readonly string[],
  validators: EventPayload<'step_completed'>['validators'],
): readonly string[] {
  const next = new Set(pending);
  for (const validator of validators) {
    if (validator.proposals === null) continue;
    if (validator.proposals > 0) next.add(validator.key);
    else next.delete(validator.key);
  }
  return [...next].sort();
}

function evolveGateAnswer(
  state: RunState,
  answer: GateEvent,
  payload: EventPayload<'gate_approved'>,
  goldens: readonly string[],
): RunState {
  const { by, comment } = payload;
  const typed = typedFeedbackOf(payload);
  const isSilent = comment === null && Object.keys(typed).length === 0;
  const feedback = by === null || isSilent ? null : { by, comment: comment ?? '', ...typed };
  return {
    ...state,
    stage: withActiveStep(state.stage, (active) => ({
      kind: 'answered',
      ...active,
      answer,
      feedback,
      goldens,
    })),
  };
}

function evolveRoute(state: RunState, payload: EventPayload<'route_selected'>): RunState {
  const { stage } = state;
  if (stage.kind !== 'left') return state;
  const transparent = stage.opcode === 'ROLLBACK' && payload.key === 'completed';
  return {
    ...state,
    via: transparent ? (state.via ?? payload.key) : payload.key,
    stage: routedTo(stage.stepId, payload.to),
  };
}

/** Runs of schema version 1 have no preparation stage. */
function firstStage({ schema_version, entry_step }: EventPayload<'run_started'>): Stage {
  return schema_version >= 2 ? { kind: 'preparing', to: entry_step } : routedTo(null, entry_step);
}

export function routedTo(from: string | null, to: string): Extract<Stage, { kind: 'routed' }> {
  return { kind: 'routed', from, to, refinementCounted: false };
}

/** Closes a step whose route key comes from a planner decision or a gate answer. */
function leaveStage(stage: Extract<Stage, { kind: 'evaluated' | 'answered' }>): Stage {
  const active = activeStepOf(stage);
  return stage.kind === 'evaluated'
    ? { kind: 'left', ...active, key: stage.status, nextStep: stage.nextStep }
    : { kind: 'left', ...active, key: stage.answer, nextStep: null };
}

function withActiveStep(stage: Stage, next: (active: ActiveStep) => Stage): Stage {
  if (stage.kind !== 'running' && stage.kind !== 'waiting') return stage;
  return next(activeStepOf(stage));
}

export function activeStepOf({ stepId, opcode, attempt, visit }: ActiveStep): ActiveStep {
  return { stepId, opcode, attempt, visit };
}

export function addUsage(total: UsageTally, usage: Usage | null): UsageTally {
  if (usage === null) return total;
  return {
    inputTokens: addKnown(total.inputTokens, usage.input_tokens),
    outputTokens: addKnown(total.outputTokens, usage.output_tokens),
    costUsd: roundCost(addKnown(total.costUsd, usage.cost_usd)),
  };
}

function addKnown(total: number | null, more: number | undefined): number | null {
  return more === undefined ? total : (total ?? 0) + more;
}
