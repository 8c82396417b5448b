import * as z from 'zod/mini';
import { described, describedHere, mapping } from '../forms.ts';
import { answerOriginSchema } from '../run/answer-origin.ts';
import {
  pipelineSchema,
  revisionSchema,
  specSchema,
  stackedOnSchema,
  WORK_STATUSES,
  workItemSchema,
} from './work-item.ts';
import { agentReviewSchema, ROLES } from './work-results.ts';

/**
 * The journal of work items. State is a fold over it. All events of one command, including its refusal, are appended
 * at once. Changes that a provider makes on its own are events too.
 */

const itemId = () => described(z.string(), 'The affected item.');
const key = () => described(z.string(), 'Identifies the command, so that it is executed only once.');
const by = () => described(z.string(), '`engine`, or the name of a user.');
const reason = () => described(z.string(), 'The reason, for display.');
const runId = (meaning: string) => described(z.string(), meaning);
const labels = () => described(z.array(z.string()), 'All labels of the item except its status label.');

const event = <const Type extends string, Shape extends z.core.$ZodLooseShape>(type: Type, shape: Shape) =>
  mapping({ type: described(z.literal(type), 'The type of the event.'), ...shape });

export const reviewRecordSchema = mapping({
  id: described(z.string(), 'Assigned by the provider.'),
  revisionID: described(z.string(), 'The reviewed revision.'),
  headSHA: described(z.string(), 'The reviewed commit.'),
  review: describedHere(agentReviewSchema, 'The review.'),
});
export type ReviewRecord = z.infer<typeof reviewRecordSchema>;

export const workEventSchema = z.discriminatedUnion('type', [
  event('command_started', {
    key: key(),
    by: by(),
    from: z.optional(describedHere(answerOriginSchema, 'Where a command of a user came from.')),
    command: described(
      z.record(z.string(), z.unknown()),
      'The whole command, so that it can be executed later.',
    ),
  }),
  event('command_done', { key: key() }),
  event('command_refused', {
    key: key(),
    by: by(),
    kind: described(z.string(), 'The kind of the command.'),
    item_id: described(z.nullable(z.string()), 'The affected item.'),
    code: described(z.string(), 'The code of the guard or rule.'),
    reason: reason(),
  }),
  event('command_failed', {
    key: key(),
    by: by(),
    kind: described(z.string(), 'The kind of the command.'),
    item_id: described(z.nullable(z.string()), 'The affected item.'),
    reason: reason(),
  }),
  event('item_created', {
    item: describedHere(workItemSchema, 'The item as created.'),
    body: described(z.string(), 'Markdown.'),
    labels: labels(),
  }),
  event('item_linked', {
    item_id: itemId(),
    blocked_by: described(z.array(z.string()), 'All declared blockers.'),
  }),
  event('item_updated', {
    item: describedHere(workItemSchema, 'The current state.'),
    body: described(z.string(), 'Markdown.'),
    labels: labels(),
  }),
  event('status_changed', {
    item_id: itemId(),
    from: described(z.enum(WORK_STATUSES), 'The previous status.'),
    to: described(z.enum(WORK_STATUSES), 'The new status.'),
    by: by(),
    reason: reason(),
  }),
  event('summary_kept', {
    item_id: itemId(),
    run_id: runId('The run that wrote the summary.'),
    summary: described(z.string(), 'The whole summary.'),
  }),
  event('revision_made', {
    revision: describedHere(revisionSchema, 'The current state.'),
    run_id: runId('The run that made the change.'),
  }),
  event('pipeline_changed', {
    revision_id: described(z.string(), 'The revision.'),
    pipeline: describedHere(pipelineSchema, 'The current state.'),
  }),
  event('review_posted', {
    review: describedHere(reviewRecordSchema, 'The current state.'),
    run_id: runId('The run that wrote the review.'),
  }),
  event('revision_merged', {
    revision_id: described(z.string(), 'The merged revision.'),
    item_id: itemId(),
    into: described(z.string(), 'The branch.'),
    commit: described(z.string(), 'Its new head.'),
    by: by(),
  }),
  event('scope_extended', {
    item_id: itemId(),
    path: described(z.string(), 'The file, folder or glob that the item may change from now on.'),
    reason: reason(),
    by: described(z.string(), 'The name of the user who allows it.'),
  }),
  event('stack_conflicted', {
    item_id: itemId(),
    items: described(
      z.array(z.string()),
      'The two items whose revisions conflict; one, if it conflicts with the default branch.',
    ),
    files: described(z.array(z.string()), 'The files that both changed.'),
    stack: described(z.array(stackedOnSchema), 'The revisions that were merged.'),
  }),
  event('notification_sent', {
    item_id: itemId(),
    target: described(z.string(), 'The configured target.'),
    for_seq: described(z.int(), 'The entry that made the item wait for a user.'),
    ok: described(z.boolean(), 'Whether it was sent.'),
    message: described(z.nullable(z.string()), 'Why it could not be sent; null if it was.'),
  }),
  event('specs_seen', { specs: described(z.array(specSchema), 'All specs in their current state.') }),
  event('specs_planned', {
    run_id: runId('The planner run.'),
    specs: described(z.array(specSchema), 'The specs that the planner was given.'),
  }),
  event('run_accepted', {
    run_id: runId('The run that was accepted.'),
    role: described(z.enum(ROLES), 'The role of the agent.'),
    item_id: described(z.nullable(z.string()), 'Null for a planner.'),
    specs: described(z.array(specSchema), 'The specs of a planner run; empty for other roles.'),
    revision_id: described(z.nullable(z.string()), 'The revision of a reviewer run.'),
  }),
  event('run_ended', {
    run_id: runId('The run that ended.'),
    ok: described(z.boolean(), 'Whether it produced a result that was applied.'),
    counted: described(z.boolean(), 'Whether it counts as a failure; a stopped or lost run does not.'),
    reason: reason(),
  }),
]);
export type WorkEvent = z.infer<typeof workEventSchema>;

/** An event as stored in the journal. */
export const journalEntrySchema = mapping({
  seq: described(z.int().check(z.minimum(1)), 'Counts from 1, without gaps.'),
  at: described(z.string(), 'The time, in UTC.'),
  event: described(workEventSchema, 'The event.'),
});
export type JournalEntry = z.infer<typeof journalEntrySchema>;
