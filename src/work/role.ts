import type { ReviewRecord } from '../contracts/work-event.ts';
import type { Revision, Spec, WorkItem } from '../contracts/work-item.ts';
import type { ImplementorResult, PlannerResult, ReviewerResult } from '../contracts/work-results.ts';

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
  | {
      readonly role: 'reviewer';
      readonly item: GivenItem;
      /** The commit that a review has to be of which a person brings. */
      readonly head?: string;
    };

/** Everything that a role is given, as values: no role looks anything up. */
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
      /** What is Out of Scope: paths, folders and globs that the run may not touch. */
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
  /** Since it was last planned; null where it never was. */
  readonly diff: string | null;
}

/** On a resume: what there is already. */
export interface EarlierWork {
  readonly revision: Revision;
  readonly reviews: readonly ReviewRecord[];
}
