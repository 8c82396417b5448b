import * as z from 'zod/mini';
import { described, describedHere, mapping } from '../forms.ts';

/** In board order: statuses that progress automatically, then those that wait for a user, then closed. */
export const WORK_STATUSES = [
  'pending',
  'ready',
  'in-progress',
  'review',
  'approved',
  'needs-refinement',
  'blocked',
  'closed',
] as const;
export type WorkStatus = (typeof WORK_STATUSES)[number];

export const WORK_TYPES = ['implement', 'refinement'] as const;
export type WorkType = (typeof WORK_TYPES)[number];

export const PRIORITIES = ['high', 'medium', 'low'] as const;
export const COMPLEXITIES = ['trivial', 'low', 'medium', 'high'] as const;
export type Priority = (typeof PRIORITIES)[number];
export type Complexity = (typeof COMPLEXITIES)[number];

const PIPELINE_STATUSES = ['pending', 'success', 'failure'] as const;
export const SPEC_STATUSES = ['draft', 'approved', 'deprecated'] as const;

const id = (what: string) => described(z.string(), what);
const nullable = <Schema extends z.core.$ZodType>(schema: Schema, what: string) =>
  described(z.nullable(schema), what);

export const workItemSchema = mapping({
  id: id('Assigned by the provider.'),
  title: described(z.string(), 'The title.'),
  status: described(z.enum(WORK_STATUSES), 'The current status.'),
  type: described(z.enum(WORK_TYPES), 'An implementation, or a question about a spec.'),
  priority: described(z.enum(PRIORITIES), 'Decides which item is dispatched first.'),
  complexity: nullable(z.enum(COMPLEXITIES), 'Null for a refinement.'),
  blockedBy: described(z.array(z.string()), 'All declared blockers, done or not.'),
  createdAt: described(z.string(), 'When it was created, in UTC.'),
  linkedRevision: nullable(z.string(), 'The revision that implements it.'),
});
export type WorkItem = z.infer<typeof workItemSchema>;

export const pipelineSchema = mapping({
  status: described(z.enum(PIPELINE_STATUSES), 'The result of the checks of the revision.'),
  url: nullable(z.string(), 'The address of its record.'),
  reason: nullable(z.string(), 'Why it failed.'),
});
export type Pipeline = z.infer<typeof pipelineSchema>;

/** A blocker's revision that another revision is built on. */
export const stackedOnSchema = mapping({
  itemID: id('The blocker.'),
  headSHA: described(z.string(), 'The commit of its revision that was merged in.'),
});
export type StackedOn = z.infer<typeof stackedOnSchema>;

export const revisionSchema = mapping({
  id: id('Assigned by the provider.'),
  title: described(z.string(), 'The title.'),
  url: nullable(z.string(), 'The address of the revision.'),
  headSHA: described(z.string(), 'The commit created from the patch.'),
  headRef: described(z.string(), 'Its branch.'),
  author: described(z.string(), 'The author.'),
  body: described(z.string(), 'The summary of the implementor.'),
  isDraft: described(z.boolean(), 'Whether it must not be merged yet.'),
  workItemID: described(z.string(), 'The item that it implements.'),
  pipeline: describedHere(pipelineSchema, 'Its checks.'),
  reviewID: nullable(z.string(), 'Its review; null if there is none.'),
  stackedOn: z.optional(
    described(z.array(stackedOnSchema), 'The unmerged blockers that it is built on, in dependency order.'),
  ),
  baseSHA: z.optional(
    described(z.string(), 'The commit that its change applies to; missing unless it is stacked.'),
  ),
});
export type Revision = z.infer<typeof revisionSchema>;

export const specSchema = mapping({
  filePath: described(z.string(), 'Relative to the repository.'),
  blobSHA: described(z.string(), 'The git object id of its content.'),
  frontmatterStatus: described(z.enum(SPEC_STATUSES), 'Only approved specs are planned.'),
});
export type Spec = z.infer<typeof specSchema>;

/** Why items wait, for programs. */
export const WAITING_CODES = [
  'blockers',
  'stack_conflict',
  'scope_overlap',
  'slots',
  'checks',
  'gate',
  'parked',
  'run',
  'question',
  'failed_starts',
  'failed_reviews',
  'rounds_used_up',
  'blocked',
  'needs_refinement',
  'no_revision',
  'reviewed',
  'approved',
] as const;
export type WaitingCode = (typeof WAITING_CODES)[number];
