import * as z from 'zod';
import { FAILURE_CLASSES } from './agent-failure.ts';

/** Usage as reported by an agent. Missing numbers are unknown, not zero. */
export const usageSchema = z.object({
  input_tokens: z.int().nonnegative().optional().describe('Tokens read by the model.'),
  output_tokens: z.int().nonnegative().optional().describe('Tokens written by the model.'),
  cost_usd: z.number().nonnegative().optional().describe('What it cost, in US dollars.'),
});
export type Usage = z.infer<typeof usageSchema>;

const blockerNote = z.object({ code: z.string().min(1), summary: z.string() });

const reviewNote = z.object({
  id: z.string().min(1).optional().describe('Name of the finding; left out, it is numbered.'),
  summary: z.string().min(1).describe('What is wrong.'),
  path: z.string().nullish().describe('The file it is about.'),
  line: z.int().nullish().describe('The line it is about.'),
});

export const REVIEW_VERDICTS = ['approve', 'needs-changes'] as const;

/** The result of a reviewer, in the form of the work item contract. */
const reviewerForm = z.object({
  verdict: z.enum(REVIEW_VERDICTS).describe('approve, or needs-changes where there are findings.'),
  summary: z.string().describe('What was looked at and found.'),
  comments: z
    .array(z.object({ path: z.string(), line: z.int().nullable(), body: z.string() }))
    .describe('Findings; those that start with [Warning] do not change the verdict.'),
});

/** The JSON that an agent can write to the path in `CONDUCTOR_RESULT`, or append to its last message. */
export const agentResultFileSchema = z.object({
  final: z.string().optional().describe('The last word of the agent.'),
  claims: z.array(z.string()).optional().describe('implemented, fixed, tests_pass, or `created PATH`.'),
  blockers: z
    .array(blockerNote)
    .optional()
    .describe('What kept the agent from finishing; of a review, its findings.'),
  verdict: z.enum(REVIEW_VERDICTS).optional().describe('Of a review: approve or needs-changes.'),
  findings: z.array(reviewNote).optional().describe('Of a review: what must change.'),
  review: reviewerForm.optional().describe('Of a review: verdict and comments in one.'),
  result: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('What a role gives back: an object with `role`.'),
  usage: usageSchema.optional(),
  failure: z
    .object({
      class: z.enum(FAILURE_CLASSES).describe('What kind of failure it is.'),
      message: z.string().optional().describe('What the agent or its provider said.'),
      reset_at: z.iso.datetime({ offset: true }).nullish().describe('When it may be tried again.'),
    })
    .optional()
    .describe('Why the agent could not do its work, where it exits with an error.'),
});
export type AgentResultFile = z.infer<typeof agentResultFileSchema>;
