import * as z from 'zod';
import { looseHarnessReportSchema } from './harness-report.ts';
import { MECHANICAL_OUTCOMES, OPCODES } from './vocabulary.ts';

/** The envelope an EVALUATE step hands to the planner. Keys that are not named here are ignored. */

export const windowEntrySchema = z.object({
  step_id: z.string().describe('The completed step.'),
  opcode: z.enum(OPCODES).describe('Its opcode.'),
  status: z.string().describe('Planner status of an EVALUATE, otherwise the outcome.'),
  diff_summary: z.string().nullable().describe('Change summary in the form of `workspace_diff_summary`.'),
  risk_flags: z.array(z.string()).describe('Flags that were raised there.'),
  blocker_codes: z.array(z.string()).describe('Codes of the blockers that were raised there.'),
});
export type WindowEntry = z.infer<typeof windowEntrySchema>;

const validationSummarySchema = z.object({
  mechanical_outcome: z.enum(MECHANICAL_OUTCOMES).describe('How the validation ended.'),
  exit_codes: z.record(z.string(), z.int()).describe('Exit code by validator id; killed ones have none.'),
  timeouts: z.array(z.string()).describe('Ids of validators that ran out of time.'),
  required_artifacts: z.array(z.string()).optional().describe('Artifacts that must be there.'),
  missing_artifacts: z.array(z.string()).optional().describe('Required artifacts that are not there.'),
  flaky: z.array(z.string()).optional().describe('Validators or cases that passed only on a retry.'),
});

export const reviewFindingSchema = z.object({
  id: z.string().describe('Identifier of the finding.'),
  summary: z.string().describe('What is wrong.'),
  path: z.string().nullish().describe('The file it is about.'),
  line: z.int().nullish().describe('The line it is about.'),
  artifact_ref: z.string().nullish().describe('Artifact that holds the finding.'),
});
export type ReviewFinding = z.infer<typeof reviewFindingSchema>;

const reviewEvidenceSchema = z.object({
  expected: z.boolean().optional().describe('Whether a review step was to give a verdict.'),
  verdict: z.enum(['approve', 'needs-changes']).nullish().describe('The verdict, or null when none came.'),
  findings: z.array(reviewFindingSchema).optional().describe('What the reviewer found.'),
});

const evidenceSchema = z.object({
  transcript_summary: z.string().describe('One fact per line: intent, claim, blocker, final.'),
  workspace_diff_summary: z.string().describe('Counts, one line per file, fingerprint; or `no changes`.'),
  validation: validationSummarySchema.describe('What the validators did.'),
  harness_report: looseHarnessReportSchema.nullish().describe('The parsed harness report, if there is one.'),
  artifacts: z.array(z.string()).describe('Paths of the artifacts that are there.'),
  policy_events: z.array(z.string()).describe('`<class>: <subject>`, as the kernel saw them.'),
  review: reviewEvidenceSchema.nullish().describe('What the latest review step gave.'),
});

export const plannerInputSchema = z.object({
  run_id: z.string().describe('The run.'),
  workflow_id: z.string().describe('The workflow.'),
  step_id: z.string().describe('The EVALUATE step that asks.'),
  evaluate_prompt: z.string().describe('Prompt reference, `<id>.v<N>`.'),
  allowed_next_steps: z.array(z.string()).describe('The only values `next_step` may take, besides null.'),
  provenance_window: z.array(windowEntrySchema).describe('Summaries of earlier steps, oldest first.'),
  evidence: evidenceSchema.describe('What there is to judge.'),
  route_hints: z
    .record(z.string(), z.string().nullable())
    .nullish()
    .describe('The legal next step for each planner status.'),
  refinement: z
    .object({
      spent: z.int().nonnegative().describe('Refinements used so far.'),
      max: z.int().nonnegative().describe('Refinements allowed.'),
    })
    .nullish()
    .describe('How much of the revision cap is used.'),
  step_intent: z.string().nullish().describe('What the step was asked to do.'),
});
export type PlannerInput = z.infer<typeof plannerInputSchema>;
