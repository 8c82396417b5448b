import * as z from 'zod/mini';
import { described, describedHere } from '../forms.ts';

/**
 * The results of the three roles. The single source: types, checks, JSON Schemas and the reference page are generated
 * from these. They are strict, so that a misspelt key is reported and not dropped.
 */

const strings = () => z.array(z.string());

export const plannedWorkItemSchema = z.strictObject({
  tempID: described(z.string().check(z.minLength(1)), 'Chosen by the planner, unique within this result.'),
  title: described(z.string().check(z.minLength(1)), 'The title of the item.'),
  body: described(z.string(), 'Markdown that follows the task or the refinement template.'),
  labels: described(strings(), 'One label of each category that its type has; the status is status:pending.'),
  blockedBy: described(strings(), 'tempIDs of this result (also of later items), or ids of existing items.'),
});
export type PlannedWorkItem = z.infer<typeof plannedWorkItemSchema>;

export const plannedWorkItemUpdateSchema = z.strictObject({
  workItemID: described(z.string().check(z.minLength(1)), 'An existing item.'),
  body: described(z.nullable(z.string()), 'The new body; null changes nothing.'),
  labels: described(z.nullable(strings()), 'The new labels; null changes nothing.'),
});
export type PlannedWorkItemUpdate = z.infer<typeof plannedWorkItemUpdateSchema>;

export const plannerResultSchema = z.strictObject({
  role: described(z.literal('planner'), 'Always planner.'),
  create: described(z.array(plannedWorkItemSchema), 'New items, in the order of creation.'),
  close: described(strings(), 'Existing items that the specs no longer need.'),
  update: described(z.array(plannedWorkItemUpdateSchema), 'Changes to existing items.'),
});
export type PlannerResult = z.infer<typeof plannerResultSchema>;

const IMPLEMENTOR_OUTCOMES = ['completed', 'blocked', 'validation-failure'] as const;

export const implementorResultSchema = z.strictObject({
  role: described(z.literal('implementor'), 'Always implementor.'),
  outcome: described(
    z.enum(IMPLEMENTOR_OUTCOMES),
    'Implemented and validated; blocked by something outside; or validation fails for a reason outside its scope.',
  ),
  patch: described(
    z.nullable(z.string()),
    'The change, taken from the workspace and never from the agent; null unless completed.',
  ),
  summary: described(z.string(), 'What was done, or why it could not be done.'),
});
export type ImplementorResult = z.infer<typeof implementorResultSchema>;

export const agentReviewCommentSchema = z.strictObject({
  path: described(z.string().check(z.minLength(1)), 'The affected file, or the closest one.'),
  line: described(z.nullable(z.int().check(z.minimum(1))), 'The affected line; null for the whole file.'),
  body: described(
    z.string(),
    'The problem, the reason and the fix of a finding; a warning starts with [Warning].',
  ),
});
export type AgentReviewComment = z.infer<typeof agentReviewCommentSchema>;

const VERDICTS = ['approve', 'needs-changes'] as const;

export const agentReviewSchema = z.strictObject({
  verdict: described(z.enum(VERDICTS), 'needs-changes if there is a finding.'),
  summary: described(z.string(), 'What was reviewed and found, including warnings.'),
  comments: described(z.array(agentReviewCommentSchema), 'Findings and warnings, by file.'),
});
export type AgentReview = z.infer<typeof agentReviewSchema>;

export const reviewerResultSchema = z.strictObject({
  role: described(z.literal('reviewer'), 'Always reviewer.'),
  review: describedHere(agentReviewSchema, 'The review.'),
});
export type ReviewerResult = z.infer<typeof reviewerResultSchema>;

export const ROLES = ['planner', 'implementor', 'reviewer'] as const;
export type Role = (typeof ROLES)[number];

/** A comment with this prefix is not a finding and does not affect the verdict. */
export const WARNING_PREFIX = '[Warning]';

/** The prefix in any case, also in bold, in backticks or as a list item. */
const WARNING = /^\s*(?:[-*+>]\s+)?[*_`]{0,3}\[warning\]/i;

export function isWarning(comment: { readonly body: string }): boolean {
  return WARNING.test(comment.body);
}
