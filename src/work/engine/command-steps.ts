import type { WorkEvent } from '../../contracts/work/work-event.ts';
import type { WorkStatus } from '../../contracts/work/work-item.ts';
import type { AgentReview } from '../../contracts/work/work-results.ts';
import type { ReadLabels } from '../items/labels.ts';
import type {
  Merged,
  MergeRequest,
  ProviderWrite,
  ProviderWritten,
  RevisionMade,
  RevisionRequest,
} from '../items/provider-values.ts';
import {
  findRunOfItem,
  type ItemRecord,
  revisionOf,
  type StartedCommand,
  type WorkState,
} from '../items/state.ts';
import { applyPlannerResult } from './apply/apply-planner-result.ts';
import { type Change, createRunEndEvents, moveThrough } from './apply/change.ts';
import { applyImplementorResult, describeRevision } from './apply/implementor.ts';
import { acceptRun, cancelRun, giveUpRun } from './apply/runs.ts';
import { type CommandOf, createFailEvent, nameOf, type WorkCommand } from './command.ts';
import { readCommand } from './command-schema.ts';

/** A call that a command needs. Calls with a known key change nothing and return the earlier answer. */
export type ExternalCall =
  | { readonly kind: 'make_revision'; readonly key: string; readonly request: RevisionRequest }
  | { readonly kind: 'merge'; readonly key: string; readonly request: MergeRequest }
  | { readonly kind: 'cancel_run'; readonly runId: string; readonly reason: string }
  | { readonly kind: 'write'; readonly key: string; readonly writes: readonly ProviderWrite[] };

/** The answers to the calls that a command has made so far. */
export interface ExternalAnswers {
  readonly make_revision?: RevisionMade;
  readonly merge?: Merged;
  readonly cancel_run?: true;
  readonly write?: readonly ProviderWritten[];
}

export type CommandStep =
  | { readonly kind: 'call'; readonly call: ExternalCall }
  /** `events` are appended at once. */
  | { readonly kind: 'done'; readonly events: readonly WorkEvent[] }
  | FailedStep;

export interface FailedStep {
  readonly kind: 'failed';
  readonly reason: string;
  readonly help: string | null;
  readonly events: readonly WorkEvent[];
}

/**
 * The next step of a command that passed the guards and is in the journal. It depends only on the state, the command,
 * the time at which it was started and the answers to the same keys, so that a retry after a crash does the same and
 * nothing twice.
 */
export function nextStep(
  state: WorkState,
  started: StartedCommand,
  answers: ExternalAnswers,
  readLabels: ReadLabels,
): CommandStep {
  const command = readCommand(started.recorded);
  if (command === null)
    return failCommand(started, 'the journal has a command that this version of conductor does not know');
  const call = planFirstCall(state, started, command);
  if (call !== null && answers[call.kind] === undefined) return { kind: 'call', call };
  if (answers.merge?.ok === false) return failCommand(started, answers.merge.reason, answers.merge.help);
  const { writes, createEvents } = planChange(state, started, command, answers, readLabels);
  const { key } = started;
  if (writes.length > 0 && answers.write === undefined)
    return { kind: 'call', call: { kind: 'write', key, writes } };
  return { kind: 'done', events: [...createEvents(answers.write ?? []), { type: 'command_done', key }] };
}

/** A provider that refuses or can't be reached makes the command fail with a reason; the engine continues. */
export function failCommand(started: StartedCommand, reason: string, help: string | null = null): FailedStep {
  const { key, by, recorded } = started;
  const command = readCommand(recorded);
  const event: WorkEvent =
    command === null
      ? { type: 'command_failed', key, by: nameOf(by), kind: 'unknown', item_id: null, reason }
      : createFailEvent({ key, by, command }, reason);
  return { kind: 'failed', reason, help, events: [event] };
}

/** The call before the write, if the command needs one. */
function planFirstCall(
  state: WorkState,
  { key, at, by }: StartedCommand,
  command: WorkCommand,
): ExternalCall | null {
  switch (command.kind) {
    case 'apply_implementor_result': {
      // The revision comes first: an item is in review only if there is something to review.
      const request = describeRevision(findItem(state, command.itemId), command, at);
      return request === null ? null : { kind: 'make_revision', key: `${key}/revision`, request };
    }
    case 'give_up_run':
      // No process resumes a run that was stopped or lost: this kills its processes and ends its record.
      return command.counted ? null : { kind: 'cancel_run', runId: command.runId, reason: command.reason };
    case 'cancel_run':
      return {
        kind: 'cancel_run',
        runId: findRun(state, command).runId,
        reason: `${nameOf(by)} cancelled it`,
      };
    case 'merge': {
      const { item, revision } = findMergeable(state, command);
      const request = {
        itemId: item.id,
        revisionId: revision.id,
        headSHA: revision.headSHA,
        message: `${item.title}\n\nWork item: ${item.id}`,
        by: nameOf(by),
        at,
      };
      return { kind: 'merge', key: `${key}/merge`, request };
    }
    default:
      return null;
  }
}

function planChange(
  state: WorkState,
  started: StartedCommand,
  command: WorkCommand,
  answers: ExternalAnswers,
  readLabels: ReadLabels,
): Change {
  const { at } = started;
  const by = nameOf(started.by);
  switch (command.kind) {
    case 'accept_run':
      return acceptRun(state, command, by);
    case 'apply_planner_result':
      return applyPlannerResult(state, command, { at, by, readLabels });
    case 'apply_implementor_result': {
      const made = answers.make_revision ?? null;
      return applyImplementorResult(state, findItem(state, command.itemId), command, { by, made });
    }
    case 'apply_reviewer_result':
      return applyReviewerResult(state, findItem(state, command.itemId), command, by);
    case 'give_up_run':
      return giveUpRun(state, command, by);
    case 'transition': {
      const moves = moveThrough(findItem(state, command.itemId), [command.to], by, command.reason);
      return { writes: moves.writes, createEvents: () => moves.events };
    }
    case 'extend_scope': {
      const { itemId, path, reason } = command;
      return {
        writes: [],
        createEvents: () => [{ type: 'scope_extended', item_id: itemId, path, reason, by }],
      };
    }
    case 'merge':
      return closeMerged(state, command, answers.merge, by);
    case 'cancel_run':
      return cancelRun(state, findItem(state, command.itemId), findRun(state, command), by);
    case 'request_planner_run':
    case 'request_implementor_run':
    case 'request_reviewer_run':
      throw new Error(`${command.kind} starts an agent and writes nothing`);
  }
}

function closeMerged(
  state: WorkState,
  command: CommandOf<'merge'>,
  merged: Merged | undefined,
  by: string,
): Change {
  const { item, revision } = findMergeable(state, command);
  if (merged?.ok !== true) throw new Error(`the revision of item ${item.id} is not merged`);
  const { into, commit } = merged;
  const moves = moveThrough(findItem(state, item.id), ['closed'], by, `merged into ${into}`);
  const event: WorkEvent = {
    type: 'revision_merged',
    revision_id: revision.id,
    item_id: item.id,
    into,
    commit,
    by,
  };
  return { writes: moves.writes, createEvents: () => [event, ...moves.events] };
}

function findMergeable(state: WorkState, { itemId }: CommandOf<'merge'>) {
  const { item } = findItem(state, itemId);
  const revision = revisionOf(state, item);
  if (revision === null) throw new Error(`item ${itemId} has no revision`);
  return { item, revision };
}

function findRun(state: WorkState, { itemId }: CommandOf<'cancel_run'>) {
  const run = findRunOfItem(state, itemId);
  if (run === null) throw new Error(`no run is active on item ${itemId}`);
  return run;
}

function findItem(state: WorkState, id: string): ItemRecord {
  const known = state.items.get(id);
  if (known === undefined) throw new Error(`there is no item ${id}`);
  return known;
}

/** Posts the review, replacing an earlier one, and moves the item by its verdict. */
export function applyReviewerResult(
  state: WorkState,
  known: ItemRecord,
  command: CommandOf<'apply_reviewer_result'>,
  by: string,
): Change {
  const { revisionId, runId } = command;
  const { review } = command.result;
  const { to, reason } = decideAfterReview(known, review, command.maxRounds ?? 0);
  const moves = moveThrough(known, [to], by, reason);
  return {
    writes: [{ kind: 'post_review', revisionId, review }, ...moves.writes],
    createEvents: (written) => [
      ...written.flatMap((each) =>
        each.kind === 'review'
          ? [{ type: 'review_posted', review: each.review, run_id: runId } as const]
          : [],
      ),
      ...createRunEndEvents(state, runId, { ok: true, countsAsFailure: false, reason }),
      ...moves.events,
    ],
  };
}

/** An item goes back to an implementor, with the findings, until its rounds are used up. */
function decideAfterReview(
  { rounds }: ItemRecord,
  { verdict, summary }: AgentReview,
  maxRounds: number,
): { readonly to: WorkStatus; readonly reason: string } {
  if (verdict === 'approve') return { to: 'approved', reason: 'approved in review' };
  const used = maxRounds === 0 ? '' : ` after ${maxRounds} rounds`;
  return rounds < maxRounds
    ? {
        to: 'pending',
        reason: `changes requested in review, round ${rounds + 1} of ${maxRounds}: ${summary}`,
      }
    : { to: 'needs-refinement', reason: `changes requested in review${used}: ${summary}` };
}
