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
  id: id('Given by the provider.'),
  title: described(z.string(), 'What it is called.'),
  status: described(z.enum(WORK_STATUSES), 'Where it stands.'),
  type: described(z.enum(WORK_TYPES), 'Code to write, or a question about a spec.'),
  priority: described(z.enum(PRIORITIES), 'What is taken first.'),
  complexity: nullable(z.enum(COMPLEXITIES), 'Null for a refinement.'),
  blockedBy: described(z.array(z.string()), 'Every declared blocker, done or not.'),
  createdAt: described(z.string(), 'When it was made, in UTC.'),
  linkedRevision: nullable(z.string(), 'The revision that implements it.'),
});
export type WorkItem = z.infer<typeof workItemSchema>;

export const pipelineSchema = mapping({
  status: described(z.enum(PIPELINE_STATUSES), 'What the checks of the revision came to.'),
  url: nullable(z.string(), 'Where its record is.'),
  reason: nullable(z.string(), 'Why it failed.'),
});
export type Pipeline = z.infer<typeof pipelineSchema>;

export const revisionSchema = mapping({
  id: id('Given by the provider.'),
  title: described(z.string(), 'What it is called.'),
  url: nullable(z.string(), 'Where it can be looked at.'),
  headSHA: described(z.string(), 'The commit that was made from the patch.'),
  headRef: described(z.string(), 'The branch that it is on.'),
  author: described(z.string(), 'Who made it.'),
  body: described(z.string(), 'What was done, in the words of the implementor.'),
  isDraft: described(z.boolean(), 'Not to be merged yet.'),
  workItemID: described(z.string(), 'What it implements.'),
  pipeline: describedHere(pipelineSchema, 'Its checks.'),
  reviewID: nullable(z.string(), 'The review of it, where there is one.'),
});
export type Revision = z.infer<typeof revisionSchema>;

export const specSchema = mapping({
  filePath: described(z.string(), 'Relative to the repository.'),
  blobSHA: described(z.string(), 'Its content, as git names it.'),
  frontmatterStatus: described(z.enum(SPEC_STATUSES), 'Only approved ones are planned.'),
});
export type Spec = z.infer<typeof specSchema>;
