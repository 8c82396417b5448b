import * as z from 'zod';
import { verificationSchema } from './planner-decision.ts';

/** The input of a refinement step. It comes from the planner's decision, never from a reviewer's free text. */
export const refinementPackageSchema = z.strictObject({
  objective: z.string().describe('What the refinement has to achieve.'),
  issues: z
    .array(
      z.strictObject({
        summary: z.string().describe('What is wrong, as the evidence shows it.'),
        target: z.string().nullable().describe('What to change, if known.'),
        action: z.string().describe('What to do.'),
        artifact_refs: z.array(z.string()).describe('Evidence for it, relative to the run directory.'),
      }),
    )
    .describe('What to fix.'),
  constraints: z.array(z.string()).describe('What must stay as it is.'),
  verification: z.array(verificationSchema).describe('What the next validation should show.'),
});
export type RefinementPackage = z.infer<typeof refinementPackageSchema>;
