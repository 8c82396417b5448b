import type { EventPayload } from '../contracts/run/event.ts';
import type {
  GateEvent,
  LifecycleState,
  Opcode,
  PlannerStatus,
  RouteKey,
  RunOutcome,
  Termination,
} from '../contracts/vocabulary.ts';
import type { Target } from './plan.ts';

/**
 * The position of a run between two events. Each stage determines what must happen next, so a log truncated after
 * any line can be resumed.
 */
export type Stage =
  | { readonly kind: 'new' }
  /** Checkouts and baseline are being prepared, or were when the log was cut. Schema version 1 skips this stage. */
  | { readonly kind: 'preparing'; readonly to: Target }
  /** A target is selected but not entered yet. */
  | {
      readonly kind: 'routed';
      readonly from: string | null;
      readonly to: Target;
      readonly refinementCounted: boolean;
    }
  /** A step's effect is in progress, or was when the log was cut. */
  | ({ readonly kind: 'running' } & ActiveStep)
  /** A planner's decision is recorded, but its step is not closed yet. */
  | ({
      readonly kind: 'evaluated';
      readonly status: PlannerStatus;
      readonly nextStep: string | null;
    } & ActiveStep)
  /** A gate is open. */
  | ({ readonly kind: 'waiting' } & ActiveStep)
  /** The agent can't continue before `until`; its step restarts then. */
  | ({ readonly kind: 'parked'; readonly until: string; readonly reason: string } & ActiveStep)
  /** A gate's answer is recorded, but its step is not closed yet. */
  | ({
      readonly kind: 'answered';
      readonly answer: GateEvent;
      readonly feedback: Feedback | null;
      /** Validators whose goldens this answer accepts and the runtime still has to write. */
      readonly goldens: readonly string[];
    } & ActiveStep)
  /** A step is closed, but its route is not selected yet. */
  | ({ readonly kind: 'left'; readonly key: RouteKey; readonly nextStep: string | null } & ActiveStep)
  /** The run must end without a route. */
  | {
      readonly kind: 'stopping';
      readonly termination: 'workflow_error' | 'budget' | 'cancelled';
      readonly reason: string;
    }
  | { readonly kind: 'ended'; readonly end: RunEnd };

/** The step that a stage is at. */
export interface ActiveStep {
  readonly stepId: string;
  readonly opcode: Opcode;
  /** Counts every start of this step, including recovery attempts. */
  readonly attempt: number;
  readonly visit: number;
}

/** What a gate answer says that is not recorded as human_feedback yet. */
export type Feedback = EventPayload<'human_feedback'>;

export interface RunEnd {
  readonly lifecycle: LifecycleState;
  readonly outcome: RunOutcome;
  readonly termination: Termination;
  readonly reason: string | null;
}

export interface UsageTally {
  /** Null until a runner reports usage: unknown is not zero. */
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  readonly costUsd: number | null;
}

export const NO_USAGE: UsageTally = { inputTokens: null, outputTokens: null, costUsd: null };

/** A fold over the events of one run. Routing uses its counters, hashes and flags, never free text. */
export interface RunState {
  readonly stage: Stage;
  readonly visits: Readonly<Record<string, number>>;
  readonly attempts: Readonly<Record<string, number>>;
  /** Consecutive recovery attempts of the current step. */
  readonly recoveries: number;
  /** The steps entered, in order, without recovery attempts. */
  readonly path: readonly string[];
  /** The route key that led to the current step; a rollback does not change it. */
  readonly via: RouteKey | null;
  /** Validators whose proposed goldens have not been approved. */
  readonly pendingGoldens: readonly string[];
  /** Policy violations since the last evaluation. */
  readonly unevaluatedViolations: number;
  /** Hash of the last known tree; null before the run starts. */
  readonly tree: string | null;
  /** No validation has passed since the last change to files. */
  readonly unverified: boolean;
  readonly lastAgent: AgentMark | null;
  /** Snapshot taken before the current effect, for recovery. */
  readonly snapshot: string | null;
  /** Refinements spent (visits after `partial`), by the id of the revision step. */
  readonly refinements: Readonly<Record<string, number>>;
  readonly usage: UsageTally;
  /** The runner of the current attempt has reported its usage, and the totals include it. */
  readonly usageCounted: boolean;
  readonly usageByStep: Readonly<Record<string, UsageTally>>;
}

/** The state that a `pre_step` rollback restores. */
export interface AgentMark {
  readonly stepId: string;
  readonly attempt: number;
  readonly commit: string;
  readonly unverifiedBefore: boolean;
}

export const INITIAL_STATE: RunState = {
  stage: { kind: 'new' },
  visits: {},
  attempts: {},
  recoveries: 0,
  path: [],
  via: null,
  pendingGoldens: [],
  unevaluatedViolations: 0,
  tree: null,
  unverified: false,
  lastAgent: null,
  snapshot: null,
  refinements: {},
  usage: NO_USAGE,
  usageCounted: false,
  usageByStep: {},
};

/** Rounds away floating-point noise: 0.1 + 0.2 must not exceed a budget of 0.3. */
export function roundCost(usd: number | null): number | null {
  return usd === null ? null : Number(usd.toFixed(9));
}
