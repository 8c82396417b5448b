import * as z from 'zod';
import {
  LIFECYCLE_STATES,
  MECHANICAL_OUTCOMES,
  PLANNER_STATUSES,
  RUN_OUTCOMES,
  TERMINATIONS,
} from '../vocabulary.ts';

/** Version of a summary. The cache ignores entries of any other version. */
export const RUN_SUMMARY_VERSION = 2;

const count = z.int().nonnegative();

const usageSchema = z
  .strictObject({
    input_tokens: count.nullable(),
    output_tokens: count.nullable(),
    cost_usd: z.number().nonnegative().nullable(),
  })
  .describe('Null means that it was not reported, not zero.');

/** One start of an agent, or of a model or agent as planner. */
const agentStartSchema = z.strictObject({
  step_id: z.string(),
  opcode: z.enum(['RUN_AGENT', 'EVALUATE']).describe('EVALUATE for a planner.'),
  attempt: z.int().positive(),
  try: z.int().positive().describe('The number of the start within the attempt.'),
  agent: z.string(),
  family: z.string(),
  model: z.string().nullable().describe('Null if it is not recorded.'),
  prompt: z
    .strictObject({ id: z.string(), version: z.int().positive().nullable() })
    .nullable()
    .describe('Null for an inline prompt.'),
  started_at: z.string(),
  termination: z.string().nullable().describe('Null while it runs, or if it was interrupted.'),
  duration_ms: z.number().nonnegative().nullable(),
  usage: usageSchema,
});
export type AgentStart = z.infer<typeof agentStartSchema>;

const decisionSchema = z.strictObject({
  step_id: z.string(),
  attempt: z.int().positive(),
  status: z.enum(PLANNER_STATUSES),
  planner: z.string(),
  reason: z.string().nullable(),
  risk_flags: z.array(z.string()),
  contradictions: count.describe('Contradicted claims, or contradictions in the evidence if these are more.'),
});

const claimsSchema = z.strictObject({
  confirmed: count,
  contradicted: count,
  unverified: count,
  contradicted_texts: z.array(z.string()).describe('The contradicted claims, with their evidence.'),
});
export type ClaimCounts = z.infer<typeof claimsSchema>;

const casesSchema = z.strictObject({ passed: count, failed: count, total: count });
export type CaseCounts = z.infer<typeof casesSchema>;

const baselineSchema = z.strictObject({
  outcome: z.enum(['green', 'red', 'unable', 'off']),
  recorded_at: z.string(),
  cached: z.boolean(),
  cases: casesSchema.nullable(),
  validators: z
    .array(
      z.strictObject({
        id: z.string(),
        failed: z.boolean(),
        failing_cases: z
          .array(z.string())
          .describe('The first ones in sorted order; empty without a report.'),
        more_failing_cases: count,
      }),
    )
    .describe('Those that ran.'),
  reason: z.string().nullable(),
});
export type BaselineSummary = z.infer<typeof baselineSchema>;

/** Everything that reports and statistics need of one run, folded from its log and the evidence that the log names. */
export const runSummarySchema = z.strictObject({
  schema_version: z.literal(RUN_SUMMARY_VERSION),
  run_id: z.string(),
  title: z.string().nullable().describe('Null for runs of schema version 1.'),
  workflow_id: z.string(),
  workflow_version: z.int(),
  started_at: z.string(),
  updated_at: z.string().describe('The time of the last event before the end, or of the end.'),
  ended_at: z.string().nullable(),
  lifecycle_state: z.enum(LIFECYCLE_STATES),
  current_step_id: z.string().nullable(),
  outcome: z.enum(RUN_OUTCOMES).nullable(),
  termination: z.enum(TERMINATIONS).nullable(),
  reason: z.string().nullable().describe('The recorded reason of the end.'),
  first_cause: z
    .string()
    .nullable()
    .describe('The first failure since the last agent started; null for a good end.'),
  base_ref: z.string(),
  base_sha: z.string(),
  head_sha: z.string().nullable(),
  branch: z.string().nullable().describe('The branch, or the ref, with the result; null if there is none.'),
  salvage_refs: z.array(z.string()),
  pull_request_url: z.string().nullable(),
  cancel: z.strictObject({ by: z.string(), reason: z.string().nullable() }).nullable(),
  awaiting: z
    .strictObject({
      step_id: z.string(),
      gate: z.string(),
      reason: z.string(),
      requested_at: z.string(),
      expires_at: z.string().nullable(),
      answer: z
        .enum(['gate_approved', 'gate_rejected', 'gate_timed_out'])
        .nullable()
        .describe('An answer that no process has acted on yet.'),
    })
    .nullable(),
  parked: z.strictObject({ step_id: z.string(), until: z.string(), reason: z.string() }).nullable(),
  change: z
    .strictObject({ files: count, insertions: count, deletions: count })
    .nullable()
    .describe('Null if it is not recorded yet.'),
  checks: z
    .strictObject({
      step_id: z.string(),
      outcome: z.enum(MECHANICAL_OUTCOMES),
      passed: count,
      total: count,
      failed: z.array(z.string()).describe('The validators that did not pass.'),
      cases: casesSchema.nullable(),
    })
    .nullable()
    .describe('The last validation that ended.'),
  baseline: baselineSchema.nullable(),
  claims: claimsSchema.describe('The claims that the last evaluation checked.'),
  decisions: z.array(decisionSchema).describe('All evaluations, in order.'),
  approved_after_decision: z.boolean().describe('Whether a user approved a gate after the last evaluation.'),
  last_message: z
    .strictObject({ step_id: z.string(), lines: z.array(z.string()), more: count })
    .nullable()
    .describe("The beginning of the last agent's final response, without control characters."),
  attempts: count.describe('Starts of steps, recovery attempts included.'),
  starts: z.array(agentStartSchema),
});
export type RunSummary = z.infer<typeof runSummarySchema>;

/** Whether a run has ended: only `run_published` and `notification_sent` can follow. */
export function hasEnded({ outcome }: Pick<RunSummary, 'outcome'>): boolean {
  return outcome !== null;
}
