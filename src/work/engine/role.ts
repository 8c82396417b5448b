import type { ReviewRecord } from '../../contracts/work/work-event.ts';
import type { Revision, Spec, StackedOn, WorkItem } from '../../contracts/work/work-item.ts';
import type { ImplementorResult, PlannerResult, ReviewerResult } from '../../contracts/work/work-results.ts';
import type { ScopeExtension, StackConflict } from '../items/state.ts';

export type RoleEnd =
  /** Checked against the contract and against the evidence of the run. */
  | { readonly ok: true; readonly result: PlannerResult | ReviewerResult }
  | {
      readonly ok: true;
      readonly result: ImplementorResult;
      readonly base: string;
      /** The revisions that `base` contains besides the default branch. */
      readonly stackedOn?: readonly StackedOn[];
    }
  | { readonly ok: false; readonly reason: string };

/** The state of a role's run, for the engine. */
export type RoleState =
  /** A live process drives the run. */
  | { readonly kind: 'driven' }
  | WaitingState
  | { readonly kind: 'ended'; readonly end: RoleEnd }
  /** The run never started, or its process is gone and no other one will continue it. */
  | {
      readonly kind: 'lost';
      readonly reason: string;
      /** Why the blockers of the item can't be merged into one base. */
      readonly conflict?: StackConflict;
      /** The disk is full, which says nothing about the item: it is tried again. */
      readonly isDiskFull?: true;
    };

/** Waits for approval at a gate, or until a time; no process has to drive it. */
export interface WaitingState {
  readonly kind: 'waiting';
  readonly reason: string;
  /** The gate is answered or the time is over, but no process has resumed the run yet: call `resume`. */
  readonly isDue?: true;
  /** The gate that a user has to answer. */
  readonly gate?: string;
  /** When a parked run can be resumed. */
  readonly until?: string;
}

export interface GivenItem {
  readonly item: WorkItem;
  readonly body: string;
  /** Paths that users allowed besides those of the body. */
  readonly extensions?: readonly ScopeExtension[];
}

/** What the result of a run is checked against. */
export type RoleSubject =
  | { readonly role: 'planner'; readonly items: readonly GivenItem[] }
  | { readonly role: 'implementor'; readonly item: GivenItem }
  | {
      readonly role: 'reviewer';
      readonly item: GivenItem;
      /** The commit that a review submitted by a user must be of. */
      readonly head?: string;
    };

/** Everything that a role gets, as plain values: no role looks anything up. */
export type RoleRequest =
  | {
      readonly role: 'planner';
      readonly specs: readonly GivenSpec[];
      readonly items: readonly GivenItem[];
    }
  | {
      readonly role: 'implementor';
      readonly item: GivenItem;
      readonly earlier: EarlierWork | null;
      /** The revisions that new work is built on, in dependency order. */
      readonly stack: readonly StackedOn[];
      /** The blocker that changed since the earlier work was built on it; null if the earlier work is not stale. */
      readonly staleBlocker: string | null;
      /** Entries of Out of Scope: paths, folders and globs that the run must not touch. */
      readonly forbidden: readonly string[];
    }
  | {
      readonly role: 'reviewer';
      readonly item: GivenItem;
      readonly revision: Revision;
      readonly reviews: readonly ReviewRecord[];
    };

export interface GivenSpec {
  readonly spec: Spec;
  readonly text: string;
  /** The diff since it was last planned; null if it never was. */
  readonly diff: string | null;
}

/** The existing work of a resumed item. */
export interface EarlierWork {
  readonly revision: Revision;
  readonly reviews: readonly ReviewRecord[];
}
