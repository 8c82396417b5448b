import type { Spec, WorkStatus } from '../contracts/work-item.ts';
import type { ImplementorResult, PlannerResult, ReviewerResult, Role } from '../contracts/work-results.ts';

/** What handlers and people ask for. Only the executor carries it out. */
export type WorkCommand =
  | { readonly kind: 'request_planner_run'; readonly specs: readonly Spec[] }
  | { readonly kind: 'request_implementor_run'; readonly itemId: string }
  | { readonly kind: 'request_reviewer_run'; readonly itemId: string; readonly revisionId: string }
  | {
      readonly kind: 'apply_planner_result';
      readonly runId: string;
      readonly specs: readonly Spec[];
      readonly result: PlannerResult;
    }
  | {
      readonly kind: 'apply_implementor_result';
      readonly runId: string;
      readonly itemId: string;
      /** The commit that the patch applies to. */
      readonly base: string;
      readonly result: ImplementorResult;
    }
  | {
      readonly kind: 'apply_reviewer_result';
      readonly runId: string;
      readonly itemId: string;
      readonly revisionId: string;
      readonly result: ReviewerResult;
    }
  /** A run ended without a result that can be applied. */
  | {
      readonly kind: 'give_up_run';
      readonly runId: string;
      readonly role: Role;
      readonly itemId: string | null;
      readonly reason: string;
    }
  | {
      readonly kind: 'transition';
      readonly itemId: string;
      readonly to: WorkStatus;
      readonly reason: string;
    }
  | { readonly kind: 'merge'; readonly itemId: string }
  | { readonly kind: 'cancel_run'; readonly itemId: string };

export type WorkCommandKind = WorkCommand['kind'];

/** Who asks: the handlers, or a person by name. */
export type Asker = { readonly kind: 'engine' } | { readonly kind: 'person'; readonly name: string };

export interface AskedCommand {
  /** The same for the same wish: a command that was carried out is not carried out again. */
  readonly key: string;
  readonly by: Asker;
  readonly command: WorkCommand;
}
