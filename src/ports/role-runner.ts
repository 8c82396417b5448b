import type { ReviewRecord } from '../contracts/work-event.ts';
import type { Revision, Spec, WorkItem } from '../contracts/work-item.ts';
import type { ImplementorResult, PlannerResult, ReviewerResult } from '../contracts/work-results.ts';

/** Has an agent do the work of a role: a workflow run with its record. It writes nothing outside the worktree of the run. */
export interface RoleRunner {
  /**
   * Starts a run and stays with it. `onAccepted` is called once, when the run has an id and before an agent starts; it is not called
   * where the run can't start at all.
   */
  readonly run: (
    request: RoleRequest,
    onAccepted: (runId: string) => Promise<void>,
    signal: AbortSignal,
  ) => Promise<RoleState>;
  /** What has become of a run that was accepted, also by another process or before a crash. Starts nothing. */
  readonly look: (runId: string, request: RoleSubject) => Promise<RoleState>;
  /** Ends a run for good. */
  readonly cancel: (runId: string) => Promise<void>;
}

export type RoleState =
  /** A living process drives it. */
  | { readonly kind: 'driven' }
  /** For a person at a gate, or until a time: nobody has to drive it. */
  | { readonly kind: 'waiting'; readonly reason: string }
  | { readonly kind: 'ended'; readonly end: RoleEnd }
  /** It never started, or nobody drives it and nobody will. */
  | { readonly kind: 'lost'; readonly reason: string };

export type RoleEnd =
  /** Checked against the contract and against the evidence of the run. */
  | { readonly ok: true; readonly result: PlannerResult | ReviewerResult }
  | { readonly ok: true; readonly result: ImplementorResult; readonly base: string }
  | { readonly ok: false; readonly reason: string };

export interface GivenItem {
  readonly item: WorkItem;
  readonly body: string;
}

/** What the result of a run is checked against. */
export type RoleSubject =
  | { readonly role: 'planner'; readonly items: readonly GivenItem[] }
  | { readonly role: 'implementor'; readonly item: GivenItem }
  | { readonly role: 'reviewer'; readonly item: GivenItem };

/** Everything that a role is given, as values: no role looks anything up. */
export type RoleRequest =
  | {
      readonly role: 'planner';
      readonly specs: readonly GivenSpec[];
      readonly items: readonly GivenItem[];
    }
  | { readonly role: 'implementor'; readonly item: GivenItem; readonly earlier: EarlierWork | null }
  | {
      readonly role: 'reviewer';
      readonly item: GivenItem;
      readonly revision: Revision;
      readonly reviews: readonly ReviewRecord[];
    };

export interface GivenSpec {
  readonly spec: Spec;
  readonly text: string;
  /** Since it was last planned; null where it never was. */
  readonly diff: string | null;
}

/** On a resume: what there is already. */
export interface EarlierWork {
  readonly revision: Revision;
  readonly reviews: readonly ReviewRecord[];
}
