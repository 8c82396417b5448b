import * as z from 'zod';
import { FAILURE_CLASSES } from './agent-failure.ts';

/** Usage as reported by an agent. Missing numbers are unknown, not zero. */
export const usageSchema = z.object({
  input_tokens: z.int().nonnegative().optional().describe('Tokens read by the model.'),
  output_tokens: z.int().nonnegative().optional().describe('Tokens written by the model.'),
  cost_usd: z.number().nonnegative().optional().describe('The cost in US dollars.'),
});
export type Usage = z.infer<typeof usageSchema>;

const blockerNote = z.object({ code: z.string().min(1), summary: z.string() });

const reviewNote = z.object({
  id: z.string().min(1).optional().describe('The id of the finding; if missing, it is numbered.'),
  summary: z.string().min(1).describe('What is wrong.'),
  path: z.string().nullish().describe('The affected file.'),
  line: z.int().nullish().describe('The affected line.'),
});

export const REVIEW_VERDICTS = ['approve', 'needs-changes'] as const;

/** The result of a reviewer, in the form of the work item contract. */
const reviewerForm = z.object({
  verdict: z.enum(REVIEW_VERDICTS).describe('approve, or needs-changes if there are findings.'),
  summary: z.string().describe('What was reviewed and found.'),
  comments: z
    .array(z.object({ path: z.string(), line: z.int().nullable(), body: z.string() }))
    .describe('Findings; those that start with [Warning] do not change the verdict.'),
});

/** The JSON that an agent can write to the path in `CONDUCTOR_RESULT`, or append to its last message. */
export const agentResultFileSchema = z.object({
  final: z.string().optional().describe('The last message of the agent.'),
  claims: z.array(z.string()).optional().describe('implemented, fixed, tests_pass, or `created PATH`.'),
  blockers: z
    .array(blockerNote)
    .optional()
    .describe('What prevented the agent from finishing; for a review, its findings.'),
  verdict: z.enum(REVIEW_VERDICTS).optional().describe('For a review: approve or needs-changes.'),
  findings: z.array(reviewNote).optional().describe('For a review: what must change.'),
  review: reviewerForm.optional().describe('For a review: verdict and comments in one object.'),
  result: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('The result of a role: an object with `role`.'),
  usage: usageSchema.optional(),
  failure: z
    .object({
      class: z.enum(FAILURE_CLASSES).describe('The class of the failure.'),
      message: z.string().optional().describe('The message of the agent or its provider.'),
      reset_at: z.iso.datetime({ offset: true }).nullish().describe('When it can be retried.'),
    })
    .optional()
    .describe('Why the agent failed, if it exits with an error.'),
});
export type AgentResultFile = z.infer<typeof agentResultFileSchema>;
