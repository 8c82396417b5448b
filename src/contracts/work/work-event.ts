import * as z from 'zod/mini';
import { described, describedHere, mapping } from '../forms.ts';
import { answerOriginSchema } from '../run/answer-origin.ts';
import { pipelineSchema, revisionSchema, specSchema, WORK_STATUSES, workItemSchema } from './work-item.ts';
import { agentReviewSchema, ROLES } from './work-results.ts';

/**
 * The journal of work items. State is a fold over it. All events of one command, including its refusal, are appended
 * at once. Changes that a provider makes on its own are events too.
 */

const itemId = () => described(z.string(), 'The item it is about.');
const key = () => described(z.string(), 'Names the command, so that it is carried out once.');
const by = () => described(z.string(), 'engine, or the name of a person.');
const reason = () => described(z.string(), 'Why, for people.');
const runId = () => described(z.string(), 'The run that it comes from.');
const labels = () => described(z.array(z.string()), 'All labels of the item but the one of its status.');

const event = <const Type extends string, Shape extends z.core.$ZodLooseShape>(type: Type, shape: Shape) =>
  mapping({ type: described(z.literal(type), 'What happened.'), ...shape });

export const reviewRecordSchema = mapping({
  id: described(z.string(), 'Given by the provider.'),
  revisionID: described(z.string(), 'What was reviewed.'),
  headSHA: described(z.string(), 'The commit that was reviewed.'),
  review: describedHere(agentReviewSchema, 'What the reviewer gave back.'),
});
export type ReviewRecord = z.infer<typeof reviewRecordSchema>;

export const workEventSchema = z.discriminatedUnion('type', [
  event('command_started', {
    key: key(),
    by: by(),
    from: z.optional(describedHere(answerOriginSchema, 'Where an answer of a person came from.')),
    command: described(z.record(z.string(), z.unknown()), 'All of it, so that it can be carried out later.'),
  }),
  event('command_done', { key: key() }),
  event('command_refused', {
    key: key(),
    by: by(),
    kind: described(z.string(), 'Which command.'),
    item_id: described(z.nullable(z.string()), 'The item it is about.'),
    code: described(z.string(), 'Which guard or rule.'),
    reason: reason(),
  }),
  event('command_failed', {
    key: key(),
    by: by(),
    kind: described(z.string(), 'Which command.'),
    item_id: described(z.nullable(z.string()), 'The item it is about.'),
    reason: reason(),
  }),
  event('item_created', {
    item: describedHere(workItemSchema, 'As it was made.'),
    body: described(z.string(), 'Markdown.'),
    labels: labels(),
  }),
  event('item_linked', {
    item_id: itemId(),
    blocked_by: described(z.array(z.string()), 'Every declared blocker.'),
  }),
  event('item_updated', {
    item: describedHere(workItemSchema, 'As it is now.'),
    body: described(z.string(), 'Markdown.'),
    labels: labels(),
  }),
  event('status_changed', {
    item_id: itemId(),
    from: described(z.enum(WORK_STATUSES), 'Where it stood.'),
    to: described(z.enum(WORK_STATUSES), 'Where it stands.'),
    by: by(),
    reason: reason(),
  }),
  event('summary_kept', { item_id: itemId(), run_id: runId(), summary: described(z.string(), 'In full.') }),
  event('revision_made', { revision: describedHere(revisionSchema, 'As it is now.'), run_id: runId() }),
  event('pipeline_changed', {
    revision_id: described(z.string(), 'Whose.'),
    pipeline: describedHere(pipelineSchema, 'As it is now.'),
  }),
  event('review_posted', { review: describedHere(reviewRecordSchema, 'As it is now.'), run_id: runId() }),
  event('revision_merged', {
    revision_id: described(z.string(), 'Which.'),
    item_id: itemId(),
    into: described(z.string(), 'The branch.'),
    commit: described(z.string(), 'Its new head.'),
    by: by(),
  }),
  event('specs_seen', { specs: described(z.array(specSchema), 'All of them, as they are now.') }),
  event('specs_planned', {
    run_id: runId(),
    specs: described(z.array(specSchema), 'What the planner was given.'),
  }),
  event('run_accepted', {
    run_id: runId(),
    role: described(z.enum(ROLES), 'Who works.'),
    item_id: described(z.nullable(z.string()), 'Null for a planner.'),
    specs: described(z.array(specSchema), 'What a planner was given; empty for others.'),
    revision_id: described(z.nullable(z.string()), 'What a reviewer looks at.'),
  }),
  event('run_ended', {
    run_id: runId(),
    ok: described(z.boolean(), 'Whether it left a result that was applied.'),
    counted: described(
      z.boolean(),
      'Whether it is a failure that counts; what was stopped or lost does not.',
    ),
    reason: reason(),
  }),
]);
export type WorkEvent = z.infer<typeof workEventSchema>;

/** An event as stored in the journal. */
export const journalEntrySchema = mapping({
  seq: described(z.int().check(z.minimum(1)), 'Counts from 1, without a gap.'),
  at: described(z.string(), 'When, in UTC.'),
  event: described(workEventSchema, 'What happened.'),
});
export type JournalEntry = z.infer<typeof journalEntrySchema>;
