import type { AnswerOrigin } from '../contracts/answer-origin.ts';
import type { Spec, WorkStatus } from '../contracts/work-item.ts';
import type { ImplementorResult, PlannerResult, ReviewerResult, Role } from '../contracts/work-results.ts';

/** What handlers and people ask for. Only the executor carries it out. */
export type WorkCommand =
  | { readonly kind: 'request_planner_run'; readonly specs: readonly Spec[] }
  | { readonly kind: 'request_implementor_run'; readonly itemId: string }
  | { readonly kind: 'request_reviewer_run'; readonly itemId: string; readonly revisionId: string }
  /** A requested run has its id, and no agent has started yet. */
  | {
      readonly kind: 'accept_run';
      readonly runId: string;
      readonly role: Role;
      readonly itemId: string | null;
      readonly specs: readonly Spec[];
      readonly revisionId: string | null;
    }
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
      /** Not for a run that was stopped, or lost with the process that drove it. */
      readonly counted: boolean;
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
export type CommandOf<Kind extends WorkCommandKind> = Extract<WorkCommand, { readonly kind: Kind }>;

/** Who asks: the handlers, or a person by name. */
export type Asker =
  | { readonly kind: 'engine' }
  /** `from` is what the operating system says of an answer. */
  | { readonly kind: 'person'; readonly name: string; readonly from?: AnswerOrigin };

export interface AskedCommand {
  /** The same for the same wish: a command that was carried out is not carried out again. */
  readonly key: string;
  readonly by: Asker;
  readonly command: WorkCommand;
}

export const ENGINE: Asker = { kind: 'engine' };

/** As it stands in the journal. */
export function nameOf(asker: Asker): string {
  if (asker.kind === 'engine') return 'engine';
  return asker.name === 'engine' ? 'a person' : asker.name;
}

export function itemOf(command: WorkCommand): string | null {
  return 'itemId' in command ? command.itemId : null;
}
