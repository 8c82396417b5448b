import * as z from 'zod';
import { PLANNER_STATUSES } from '../vocabulary.ts';
import { plannerInputSchema } from './planner-input.ts';

/** A test case for the planner: an envelope and the expected decision. */
export const plannerVectorSchema = z.object({
  vector_id: z.string().min(1).describe('Name of the vector, unique in its folder.'),
  summary: z.string().describe('One sentence: what situation it is.'),
  input: plannerInputSchema.describe('The envelope.'),
  expected: z
    .object({
      status: z.enum(PLANNER_STATUSES).describe('The exact status.'),
      next_step: z.string().nullable().optional().describe('The exact next step; left out, any legal one.'),
      risk_flags: z.array(z.string()).describe('Flags that must be among those raised.'),
      blocker_codes: z
        .array(z.string())
        .optional()
        .describe('All codes of blockers, in any order; left out, any.'),
    })
    .describe('What has to come of it.'),
});
export type PlannerVector = z.infer<typeof plannerVectorSchema>;
