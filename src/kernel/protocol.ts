import type { Usage } from '../contracts/run/agent-result.ts';
import type { EventDraft, EventPayload, ValidatorEnd } from '../contracts/run/event.ts';
import type { TypedFeedback } from '../contracts/run/typed-feedback.ts';
import type { GateEvent, MechanicalOutcome, PlannerStatus } from '../contracts/vocabulary.ts';
import type { ActiveStep, RunEnd, RunState } from './state.ts';

/**
 * What the runtime reports to the kernel. The kernel decides by outcomes, counters, hashes and flags only; text is
 * recorded for readers.
 */
export type KernelInput =
  | { readonly kind: 'start'; readonly run: EventPayload<'run_started'> }
  /** The checkouts are ready for the first step. */
  | { readonly kind: 'prepared' }
  /** Setup failed, or the checks can't run here: the run ends before its first step. */
  | { readonly kind: 'preparation_failed'; readonly reason: string }
  | ({ readonly kind: 'step_ended' } & StepResult)
  /** The agent can't continue before a known time, for example because of a rate limit. */
  | { readonly kind: 'parked'; readonly until: string; readonly reason: string }
  /** The time that a parked run waited for has passed. */
  | { readonly kind: 'wait_over' }
  | { readonly kind: 'rolled_back'; readonly rollback: EventPayload<'rollback_completed'> }
  | { readonly kind: 'evaluated'; readonly decision: EvaluateResult }
  | {
      readonly kind: 'gate_opened';
      readonly reason: string;
      readonly tree: string;
      readonly requestSha256: string;
    }
  | {
      readonly kind: 'gate_answered';
      readonly answer: GateEvent;
      readonly by: string | null;
      readonly comment: string | null;
      readonly answeredAt: string;
      readonly from?: EventPayload<'gate_approved'>['from'];
      /** Comments on lines and refused goldens; recorded as they are, and never decided on. */
      readonly typed?: TypedFeedback;
    }
  /** The accepted goldens are written; `tree` is null if there were none to write. */
  | { readonly kind: 'goldens_accepted'; readonly changed: boolean; readonly tree: string | null }
  /** The files changed while the gate was open, so the gate must be requested again for the current files. */
  | { readonly kind: 'gate_changed' }
  | { readonly kind: 'resume'; readonly reason: string }
  | { readonly kind: 'cancel'; readonly by: string; readonly reason: string | null }
  /** The `finish` effect is done. `tree` and `headSha` are null if they could not be read. */
  | {
      readonly kind: 'finished';
      readonly tree: string | null;
      readonly headSha: string | null;
      readonly files?: EventPayload<'run_completed'>['files'];
      /** The reason of a `preparation_failed`: no event holds it until run_completed is recorded. */
      readonly preparationFailure?: string;
    };

export interface StepResult {
  readonly outcome: MechanicalOutcome;
  readonly changed: boolean;
  readonly tree: string | null;
  readonly validators: readonly ValidatorEnd[];
  readonly usage: Usage | null;
  readonly reason: string | null;
  readonly violations: readonly RecordedViolation[];
}

export type RecordedViolation = EventPayload<'policy_violation'>;

/** The result of an EVALUATE step. */
export interface EvaluateResult {
  readonly status: PlannerStatus;
  readonly nextStep: string | null;
  readonly riskFlags: readonly string[];
  readonly blockerCodes: readonly string[];
  readonly reason: string | null;
  readonly planner: string;
}

/** The single effect that the runtime executes once the events are durable. */
export type Effect =
  /** Repeated after a crash, so the runtime must skip the parts that the log already records. */
  | { readonly kind: 'prepare' }
  | ({ readonly kind: 'run_agent'; readonly restoreTo: string | null } & ActiveStep)
  | ({ readonly kind: 'run_validation'; readonly restoreTo: string | null } & ActiveStep)
  | ({ readonly kind: 'ask_planner' } & ActiveStep)
  | ({ readonly kind: 'open_gate' } & ActiveStep)
  | ({ readonly kind: 'await_gate' } & ActiveStep)
  | ({ readonly kind: 'await_time'; readonly until: string } & ActiveStep)
  /** `restoreTo` is set if an earlier attempt to write the goldens was interrupted. */
  | ({ readonly kind: 'accept_goldens'; readonly restoreTo: string | null } & ActiveStep)
  /** `commit` is null for the state before the run. */
  | ({
      readonly kind: 'roll_back';
      readonly target: 'pre_run' | 'pre_step';
      readonly commit: string | null;
    } & ActiveStep)
  | { readonly kind: 'finish'; readonly end: RunEnd };

export interface KernelDecision {
  readonly events: readonly EventDraft[];
  readonly effect: Effect | null;
  /** The state after the events. */
  readonly state: RunState;
}
