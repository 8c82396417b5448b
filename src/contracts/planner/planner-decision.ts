import * as z from 'zod';
import { PLANNER_STATUSES } from '../vocabulary.ts';

/** The planner's answer. The kernel reads `status` and `next_step`; prompts and gates use the rest. */

export const BLOCKER_SEVERITIES = ['low', 'medium', 'high'] as const;
export type BlockerSeverity = (typeof BLOCKER_SEVERITIES)[number];

export const blockerSchema = z.strictObject({
  code: z
    .string()
    .describe('Stable name of what is wrong, such as `missing_artifact` or `case_failed:<id>`.'),
  summary: z.string().describe('One sentence, for display.'),
  evidence_ref: z.string().nullable().describe('Artifact that shows it, or null if there is none.'),
  severity: z.enum(BLOCKER_SEVERITIES).describe('How bad it is: low, medium or high.'),
});
export type Blocker = z.infer<typeof blockerSchema>;

export const editSchema = z.strictObject({
  target: z.string().describe('What to change: a file, a test case or a validator.'),
  action: z.string().describe('What to do to it.'),
  rationale: z.string().describe('Why, as the evidence shows it.'),
});
export type Edit = z.infer<typeof editSchema>;

export const verificationSchema = z.strictObject({
  command: z
    .string()
    .describe('Command line that checks the fix; a validator id in envelopes without `commands`.'),
  expected_signal: z.string().describe('What it shows if the fix is right.'),
});
export type Verification = z.infer<typeof verificationSchema>;

export const fixInstructionsSchema = z.strictObject({
  objective: z.string().describe('What the next attempt has to achieve; free prose goes here.'),
  constraints: z.array(z.string()).describe('What must stay as it is.'),
  edits: z.array(editSchema).describe('Concrete changes, if a target is known.'),
  verification: z.array(verificationSchema).describe('How to check the fix.'),
});
export type FixInstructions = z.infer<typeof fixInstructionsSchema>;

export const plannerDecisionSchema = z.strictObject({
  status: z.enum(PLANNER_STATUSES).describe('The result of the evaluation; the kernel routes by it.'),
  next_step: z.string().nullable().describe('Intended next step, one of `allowed_next_steps`, or null.'),
  fix_instructions: fixInstructionsSchema
    .nullable()
    .describe('What to do about a partial result, else null.'),
  blockers: z.array(blockerSchema).describe('What prevents success, worst first.'),
  risk_flags: z.array(z.string()).describe('Canonical names of the detected risks.'),
});
export type PlannerDecision = z.infer<typeof plannerDecisionSchema>;
