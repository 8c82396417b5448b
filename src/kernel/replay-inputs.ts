import {
  type EventDraft,
  type EventPayload,
  mayFollowEnd,
  type ValidatorEnd,
} from '../contracts/run/event.ts';
import { typedFeedbackOf } from '../contracts/run/typed-feedback.ts';
import { decideEnd } from './ending.ts';
import type { Plan } from './plan.ts';
import type { KernelInput, RecordedViolation } from './protocol.ts';
import type { RunState, Stage } from './state.ts';
import { QUIET_END } from './step-log.ts';

/** Whether the runtime records this event without a kernel decision: evidence, processes, preparation, notices. */
export function isCarried(event: EventDraft): boolean {
  if (mayFollowEnd(event.event_type)) return true;
  switch (event.event_type) {
    case 'runner_started':
    case 'runner_completed':
    case 'artifact_recorded':
    case 'salvage_recorded':
    case 'status_updated':
    case 'setup_completed':
    case 'baseline_recorded':
    case 'notice_recorded':
      return true;
    default:
      return false;
  }
}

/**
 * The kernel inputs that could have produced the event at this index. More than one if the log doesn't store the
 * whole input, none if no input fits.
 */
export function findInputs(
  plan: Plan,
  state: RunState,
  events: readonly EventDraft[],
  at: number,
): readonly KernelInput[] {
  const event = events[at];
  if (event === undefined) return [];
  const { stage } = state;
  if (event.event_type === 'run_resumed') return [{ kind: 'resume', reason: event.payload.reason }];
  if (event.event_type === 'run_cancelled')
    return [{ kind: 'cancel', by: event.payload.by, reason: event.payload.reason }];
  if (stage.kind === 'new')
    return event.event_type === 'run_started' ? [{ kind: 'start', run: event.payload }] : [];
  if (stage.kind === 'preparing') return preparingInputs(state, events, at);
  if (decideEnd(plan, state) !== null) return finishedInputs(state, events, at);
  if (stage.kind === 'waiting') return waitingInputs(event);
  if (stage.kind === 'parked') return event.event_type === 'step_started' ? [{ kind: 'wait_over' }] : [];
  if (stage.kind === 'answered') return acceptedInputs(events, at);
  return stage.kind === 'running' ? runningInputs(stage, events, at) : [];
}

/** The log records a failed preparation only through run_completed. */
function preparingInputs(state: RunState, events: readonly EventDraft[], at: number): readonly KernelInput[] {
  const event = events[at];
  if (event?.event_type !== 'run_completed') return [{ kind: 'prepared' }];
  const preparationFailure = event.payload.reason ?? '';
  return finishedInputs(state, events, at).map((input) => ({ ...input, preparationFailure }));
}

/** The log doesn't store the final tree, so both cases are tried: unchanged since the last step, or changed. */
function finishedInputs(
  state: RunState,
  events: readonly EventDraft[],
  at: number,
): readonly Extract<KernelInput, { kind: 'finished' }>[] {
  const end = [events[at], events[at + 1]].find((event) => event?.event_type === 'run_completed');
  const { head_sha: headSha, files } =
    end?.event_type === 'run_completed' ? end.payload : { head_sha: null, files: undefined };
  return [null, `not ${state.tree}`].map((tree) => ({ kind: 'finished', tree, headSha, files }));
}

function waitingInputs(event: EventDraft): readonly KernelInput[] {
  switch (event.event_type) {
    case 'gate_approved':
    case 'gate_rejected':
    case 'gate_timed_out': {
      const { by, comment, answered_at: answeredAt, from } = event.payload;
      const typed = typedFeedbackOf(event.payload);
      return [{ kind: 'gate_answered', answer: event.event_type, by, comment, answeredAt, from, typed }];
    }
    case 'step_started':
      return [{ kind: 'gate_changed' }];
    default:
      return [];
  }
}

/** Also reads logs of versions that accepted goldens without writing them. */
function acceptedInputs(events: readonly EventDraft[], at: number): readonly KernelInput[] {
  const event = events[at];
  switch (event?.event_type) {
    case 'step_completed':
      return [{ kind: 'goldens_accepted', changed: event.payload.changed, tree: event.payload.tree }];
    case 'step_failed':
      return [stepEnded(events, at)];
    default:
      return [];
  }
}

function runningInputs(
  stage: Extract<Stage, { kind: 'running' }>,
  events: readonly EventDraft[],
  at: number,
): readonly KernelInput[] {
  const event = events[at];
  switch (event?.event_type) {
    case 'decision_recorded':
      return stage.opcode === 'EVALUATE'
        ? [{ kind: 'evaluated', decision: evaluateResultOf(event.payload) }]
        : [];
    case 'step_waiting': {
      const { until, reason = '' } = event.payload;
      if (until !== undefined) return stage.opcode === 'RUN_AGENT' ? [{ kind: 'parked', until, reason }] : [];
      return stage.opcode === 'GATE' ? [gateOpened(events[at + 1])] : [];
    }
    case 'rollback_completed':
      return stage.opcode === 'ROLLBACK' ? [{ kind: 'rolled_back', rollback: event.payload }] : [];
    case 'policy_violation':
    case 'golden_gate_pending':
    case 'step_completed':
    case 'step_failed':
      return stage.opcode === 'EVALUATE' ? [] : [stepEnded(events, at)];
    default:
      return [];
  }
}

function evaluateResultOf(payload: EventPayload<'decision_recorded'>) {
  return {
    status: payload.status,
    nextStep: payload.next_step,
    riskFlags: payload.risk_flags,
    blockerCodes: payload.blocker_codes,
    reason: payload.reason,
    planner: payload.planner,
  };
}

/** If the log is truncated between the two events of a gate, the fields of the second one are unknown and empty. */
function gateOpened(requested: EventDraft | undefined): KernelInput {
  if (requested?.event_type !== 'gate_requested')
    return { kind: 'gate_opened', reason: '', tree: '', requestSha256: '' };
  const { reason, tree, request_sha256 } = requested.payload;
  return { kind: 'gate_opened', reason, tree, requestSha256: request_sha256 };
}

/**
 * Reads the events that end a step. If the log is truncated there, the missing fields get defaults; they are never
 * compared, because the log has no event to compare them with.
 */
function stepEnded(events: readonly EventDraft[], from: number): KernelInput {
  const violations: RecordedViolation[] = [];
  let at = from;
  for (let event = events[at]; event?.event_type === 'policy_violation'; event = events[at]) {
    violations.push(event.payload);
    at += 1;
  }
  const pending = events[at];
  const proposed = pending?.event_type === 'golden_gate_pending' ? pending.payload : null;
  const end = events[proposed === null ? at : at + 1];
  if (end?.event_type === 'step_completed' || end?.event_type === 'step_failed') {
    const { outcome, changed, tree, validators, usage, reason } = end.payload;
    return { kind: 'step_ended', outcome, changed, tree, validators, usage, reason, violations };
  }
  const validators = proposed === null ? [] : reconstructProposers(proposed);
  return { kind: 'step_ended', ...QUIET_END, validators, violations };
}

/** Makes up validator results that add up to the recorded number of proposals. */
function reconstructProposers({
  validators,
  proposals,
}: EventPayload<'golden_gate_pending'>): ValidatorEnd[] {
  return validators.map((key, index) => ({
    id: key,
    key,
    outcome: 'completed',
    exit_code: 0,
    proposals: index === 0 ? proposals - (validators.length - 1) : 1,
  }));
}
