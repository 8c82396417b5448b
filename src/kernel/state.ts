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
 * Where a run stands between two events. Each stage names what must happen next, so that a log cut after
 * any line can be taken up again.
 */
export type Stage =
  | { readonly kind: 'new' }
  /** The checkouts are set up and the baseline is taken, or were when the log was cut. Records of version 1 skip it. */
  | { readonly kind: 'preparing'; readonly to: Target }
  /** A target is chosen and not entered yet. */
  | {
      readonly kind: 'routed';
      readonly from: string | null;
      readonly to: Target;
      readonly refinementCounted: boolean;
    }
  /** A step's effect is under way, or was when the log was cut. */
  | ({ readonly kind: 'running' } & Entry)
  /** A planner's decision is recorded and its step not closed yet. */
  | ({ readonly kind: 'judged'; readonly status: PlannerStatus; readonly nextStep: string | null } & Entry)
  /** A gate is open. */
  | ({ readonly kind: 'waiting' } & Entry)
  /** An agent can't work before a known time; its step is entered again then. */
  | ({ readonly kind: 'parked'; readonly until: string; readonly reason: string } & Entry)
  /** A gate's answer is recorded and its step not closed yet. */
  | ({
      readonly kind: 'answered';
      readonly answer: GateEvent;
      readonly feedback: Feedback | null;
      /** Validators whose goldens this answer accepts and which are not in the files yet. */
      readonly goldens: readonly string[];
    } & Entry)
  /** A step is closed and the way out of it not chosen yet. */
  | ({ readonly kind: 'left'; readonly key: RouteKey; readonly nextStep: string | null } & Entry)
  /** The run must end without a route. */
  | {
      readonly kind: 'stopping';
      readonly termination: 'workflow_error' | 'budget' | 'cancelled';
      readonly reason: string;
    }
  | { readonly kind: 'ended'; readonly end: RunEnd };

export interface Entry {
  readonly stepId: string;
  readonly opcode: Opcode;
  /** The n-th entry of this step, recovery attempts included. */
  readonly attempt: number;
  readonly visit: number;
}

/** A person's remark that still has to become an event of its own. */
export interface Feedback {
  readonly by: string;
  readonly comment: string;
}

export interface RunEnd {
  readonly lifecycle: LifecycleState;
  readonly outcome: RunOutcome;
  readonly termination: Termination;
  readonly reason: string | null;
}

export interface UsageTally {
  /** Null until something was reported: unknown is not zero. */
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  readonly costUsd: number | null;
}

export const NO_USAGE: UsageTally = { inputTokens: null, outputTokens: null, costUsd: null };

/** A fold over the events of one run. Holds counters, hashes and flags; never free text that routes. */
export interface RunState {
  readonly stage: Stage;
  readonly visits: Readonly<Record<string, number>>;
  readonly attempts: Readonly<Record<string, number>>;
  /** Recovery attempts in a row of the step that is under way. */
  readonly recoveries: number;
  /** The steps entered, in order, without recovery attempts. */
  readonly path: readonly string[];
  /** The key through which the run got where it is; a rollback does not change it. */
  readonly via: RouteKey | null;
  /** Validators whose proposed goldens no person has accepted. */
  readonly pendingGoldens: readonly string[];
  /** Policy violations since the last evaluation. */
  readonly unjudgedViolations: number;
  /** The files as they were last seen; null before the run has started. */
  readonly tree: string | null;
  /** The last change to files has no passed validation after it. */
  readonly unverified: boolean;
  readonly lastAgent: AgentMark | null;
  /** Snapshot taken before the effect that is under way, for recovery. */
  readonly snapshot: string | null;
  /** Entries by way of `partial`, by the id of the step that refines. */
  readonly refinements: Readonly<Record<string, number>>;
  readonly usage: UsageTally;
  /** The runner of the entry under way has reported its use, and it is in the totals. */
  readonly usageCounted: boolean;
  readonly usageByStep: Readonly<Record<string, UsageTally>>;
}

/** What `pre_step` goes back to. */
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
  unjudgedViolations: 0,
  tree: null,
  unverified: false,
  lastAgent: null,
  snapshot: null,
  refinements: {},
  usage: NO_USAGE,
  usageCounted: false,
  usageByStep: {},
};
