import * as z from 'zod';
import { PLANNER_STATUSES } from '../vocabulary.ts';
import { plannerInputSchema } from './planner-input.ts';

/** A test case for the planner: an envelope and the expected decision. */
export const plannerVectorSchema = z.object({
  vector_id: z.string().min(1).describe('Name of the vector, unique in its folder.'),
  summary: z.string().describe('The situation, in one sentence.'),
  input: plannerInputSchema.describe('The envelope.'),
  expected: z
    .object({
      status: z.enum(PLANNER_STATUSES).describe('The exact status.'),
      next_step: z.string().nullable().optional().describe('The exact next step; if missing, any legal one.'),
      risk_flags: z.array(z.string()).describe('Flags that the decision must include.'),
      blocker_codes: z
        .array(z.string())
        .optional()
        .describe('All blocker codes, in any order; if missing, any.'),
    })
    .describe('The expected decision.'),
});
export type PlannerVector = z.infer<typeof plannerVectorSchema>;
