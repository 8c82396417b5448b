import * as z from 'zod';
import { looseHarnessReportSchema } from '../run/harness-report.ts';
import { MECHANICAL_OUTCOMES, OPCODES } from '../vocabulary.ts';

/** The envelope that an EVALUATE step passes to the planner. Unknown keys are ignored. */

export const windowEntrySchema = z.object({
  step_id: z.string().describe('The completed step.'),
  opcode: z.enum(OPCODES).describe('Its opcode.'),
  status: z.string().describe('Planner status of an EVALUATE, otherwise the outcome.'),
  diff_summary: z.string().nullable().describe('Change summary in the form of `workspace_diff_summary`.'),
  risk_flags: z.array(z.string()).describe('Risk flags of the step.'),
  blocker_codes: z.array(z.string()).describe('Blocker codes of the step.'),
});
export type WindowEntry = z.infer<typeof windowEntrySchema>;

const caseCount = z.int().nonnegative();

export const baselineSchema = z.object({
  failing: caseCount.describe('Cases that failed at the base.'),
  passing: caseCount.describe('Cases that passed at the base.'),
  total: caseCount.describe('All cases at the base, skipped ones included.'),
});
export type Baseline = z.infer<typeof baselineSchema>;

export const fewerChecksSchema = z.object({
  base: caseCount.describe('How many cases ran at the base.'),
  now: caseCount.describe('How many cases ran now.'),
  missing: z.array(z.string()).describe('Ids of the cases that ran at the base and are missing now.'),
  skipped: z.array(z.string()).describe('Ids of the cases that ran at the base and are skipped now.'),
});
export type FewerChecks = z.infer<typeof fewerChecksSchema>;

const validationSummarySchema = z.object({
  mechanical_outcome: z.enum(MECHANICAL_OUTCOMES).describe('How the validation ended.'),
  exit_codes: z.record(z.string(), z.int()).describe('Exit code by validator id; killed ones have none.'),
  timeouts: z.array(z.string()).describe('Ids of validators that timed out.'),
  required_artifacts: z.array(z.string()).optional().describe('Artifacts that must exist.'),
  missing_artifacts: z.array(z.string()).optional().describe('Required artifacts that are missing.'),
  flaky: z.array(z.string()).optional().describe('Validators or cases that passed only on a retry.'),
  commands: z
    .record(z.string(), z.string())
    .nullish()
    .describe('By validator id, the command line that a user would type in the workspace.'),
  output: z.record(z.string(), z.string()).nullish().describe('By validator id, the end of its output.'),
  report_sources: z
    .array(z.string())
    .nullish()
    .describe('Ids of the validators whose reports make up `harness_report`; if missing, any validator.'),
  baseline: baselineSchema.nullish().describe('Case counts at the base commit.'),
  regressions: z
    .array(z.string())
    .nullish()
    .describe('Ids of the cases that passed at the base and fail now.'),
  judge_changed: z
    .array(z.string())
    .nullish()
    .describe('Changed tests, runner configuration or commands that the verdict depends on.'),
  fewer_checks: fewerChecksSchema.nullish().describe('Set if fewer cases ran than at the base.'),
  environment_failures: z
    .array(z.string())
    .nullish()
    .describe(
      'Ids of the validators that ran at the base and can no longer start, for a reason outside the run.',
    ),
});

export const reviewFindingSchema = z.object({
  id: z.string().describe('The id of the finding.'),
  summary: z.string().describe('What is wrong.'),
  path: z.string().nullish().describe('The affected file.'),
  line: z.int().nullish().describe('The affected line.'),
  artifact_ref: z.string().nullish().describe('Artifact that contains the finding.'),
});
export type ReviewFinding = z.infer<typeof reviewFindingSchema>;

const reviewEvidenceSchema = z.object({
  expected: z.boolean().optional().describe('Whether a review step should have given a verdict.'),
  verdict: z.enum(['approve', 'needs-changes']).nullish().describe('The verdict, or null if there is none.'),
  findings: z.array(reviewFindingSchema).optional().describe('The findings of the reviewer.'),
});

const evidenceSchema = z.object({
  transcript_summary: z.string().describe('One fact per line: intent, claim, blocker, final.'),
  workspace_diff_summary: z.string().describe('Counts, one line per file, fingerprint; or `no changes`.'),
  validation: validationSummarySchema.describe('The results of the validators.'),
  harness_report: looseHarnessReportSchema.nullish().describe('The parsed harness report, if there is one.'),
  artifacts: z.array(z.string()).describe('Paths of the captured artifacts.'),
  policy_events: z.array(z.string()).describe('Policy violations as `<class>: <subject>`.'),
  review: reviewEvidenceSchema.nullish().describe('The result of the latest review step.'),
  run_changed: z.boolean().nullish().describe('Whether the workspace differs from the base commit.'),
});

export const plannerInputSchema = z.object({
  run_id: z.string().describe('The run.'),
  workflow_id: z.string().describe('The workflow.'),
  step_id: z.string().describe('The EVALUATE step.'),
  evaluate_prompt: z.string().describe('Prompt reference, `<id>.v<N>`.'),
  allowed_next_steps: z.array(z.string()).describe('The only values `next_step` may take, besides null.'),
  provenance_window: z.array(windowEntrySchema).describe('Summaries of earlier steps, oldest first.'),
  evidence: evidenceSchema.describe('The evidence to evaluate.'),
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
    .describe('How many of the allowed refinements are used.'),
  step_intent: z.string().nullish().describe('The purpose of the step.'),
});
export type PlannerInput = z.infer<typeof plannerInputSchema>;
