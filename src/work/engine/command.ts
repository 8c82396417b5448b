import type { AnswerOrigin } from '../../contracts/run/answer-origin.ts';
import type { WorkEvent } from '../../contracts/work/work-event.ts';
import type { Spec, StackedOn, WorkStatus } from '../../contracts/work/work-item.ts';
import type {
  ImplementorResult,
  PlannerResult,
  ReviewerResult,
  Role,
} from '../../contracts/work/work-results.ts';

/** A request of a handler or a user. Only the executor carries it out. */
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
      /** The revisions that `base` contains besides the default branch. */
      readonly stackedOn?: readonly StackedOn[] | undefined;
      readonly result: ImplementorResult;
    }
  | {
      readonly kind: 'apply_reviewer_result';
      readonly runId: string;
      readonly itemId: string;
      readonly revisionId: string;
      readonly result: ReviewerResult;
      /** How often the item goes back to an implementor by itself. Old journals lack it: never. */
      readonly maxRounds?: number | undefined;
    }
  /** A run ended without a usable result. */
  | {
      readonly kind: 'give_up_run';
      readonly runId: string;
      readonly role: Role;
      readonly itemId: string | null;
      readonly reason: string;
      /** False for a run that was stopped, or lost with the process that drove it. */
      readonly counted: boolean;
    }
  | {
      readonly kind: 'transition';
      readonly itemId: string;
      readonly to: WorkStatus;
      readonly reason: string;
    }
  | {
      readonly kind: 'extend_scope';
      readonly itemId: string;
      readonly path: string;
      readonly reason: string;
    }
  | { readonly kind: 'merge'; readonly itemId: string }
  | { readonly kind: 'cancel_run'; readonly itemId: string };

export type WorkCommandKind = WorkCommand['kind'];
export type CommandOf<Kind extends WorkCommandKind> = Extract<WorkCommand, { readonly kind: Kind }>;

/** The origin of a command: the handlers, or a user by name. */
export type Requester =
  | { readonly kind: 'engine' }
  /** `from` is what the operating system reports about the origin of an answer. */
  | { readonly kind: 'person'; readonly name: string; readonly from?: AnswerOrigin };

export interface RequestedCommand {
  /** An idempotency key: a command with the same key is carried out once. */
  readonly key: string;
  readonly by: Requester;
  readonly command: WorkCommand;
}

/** A request for a run of a role. */
export interface RequestedRun extends RequestedCommand {
  readonly command: RunRequest;
}

export type RunRequest = CommandOf<
  'request_planner_run' | 'request_implementor_run' | 'request_reviewer_run'
>;

export function isRunRequest(command: WorkCommand): command is RunRequest {
  return (
    command.kind === 'request_planner_run' ||
    command.kind === 'request_implementor_run' ||
    command.kind === 'request_reviewer_run'
  );
}

export function roleOf(command: RunRequest): Role {
  switch (command.kind) {
    case 'request_planner_run':
      return 'planner';
    case 'request_implementor_run':
      return 'implementor';
    case 'request_reviewer_run':
      return 'reviewer';
  }
}

export const ENGINE: Requester = { kind: 'engine' };

/** The name in the journal. */
export function nameOf(asker: Requester): string {
  if (asker.kind === 'engine') return 'engine';
  return asker.name === 'engine' ? 'a person' : asker.name;
}

export function itemOf(command: WorkCommand): string | null {
  return 'itemId' in command ? command.itemId : null;
}

/** Enters a command into the journal before it is carried out. */
export function createStartEvent({ key, by, command }: RequestedCommand): WorkEvent {
  const from = by.kind === 'person' ? by.from : undefined;
  return {
    type: 'command_started',
    key,
    by: nameOf(by),
    ...(from === undefined ? {} : { from }),
    command: { ...command },
  };
}

/** Records that a command failed. */
export function createFailEvent({ key, by, command }: RequestedCommand, reason: string): WorkEvent {
  return {
    type: 'command_failed',
    key,
    by: nameOf(by),
    kind: command.kind,
    item_id: itemOf(command),
    reason,
  };
}
