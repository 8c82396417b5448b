import * as z from 'zod';
import { LIFECYCLE_STATES, OPCODES, PLANNER_STATUSES, RUN_OUTCOMES, TERMINATIONS } from '../vocabulary.ts';

/** The derived files of a run directory. `events.ndjson` is the source of truth; these can be rebuilt from it. */

export const RUN_FILES_SCHEMA_VERSION = 2;

const title = z.string().optional().describe('The title of the run. Missing in runs of version 1.');

const prUrl = z
  .string()
  .optional()
  .describe('The pull request with the work of the run. Missing until it is published.');

const usageTotals = z
  .strictObject({
    input_tokens: z.int().nonnegative().nullable(),
    output_tokens: z.int().nonnegative().nullable(),
    cost_usd: z.number().nonnegative().nullable(),
  })
  .describe('Totals over the whole run; null means unknown, not zero.');

export const metadataSchema = z.strictObject({
  schema_version: z.literal([1, RUN_FILES_SCHEMA_VERSION]),
  run_id: z.string(),
  title,
  workflow_id: z.string(),
  workflow_version: z.int(),
  workflow_digest: z.string().describe('SHA-256 of workflow.yaml, in hex.'),
  started_at: z.string(),
  ended_at: z.string().nullable(),
  entry_step: z.string(),
  last_step_id: z.string().nullable(),
  termination: z.enum(TERMINATIONS).nullable(),
  outcome: z.enum(RUN_OUTCOMES).nullable(),
  artifacts_root: z.string(),
  workspace: z.strictObject({
    repo_root: z.string(),
    worktree_path: z.string(),
    branch_name: z.string(),
    base_ref: z.string(),
    base_sha: z.string(),
    head_sha: z.string().nullable(),
  }),
  schema_versions: z.record(z.string(), z.int()),
  pr_url: prUrl,
  usage: usageTotals,
});
export type Metadata = z.infer<typeof metadataSchema>;

export const statusSchema = z.strictObject({
  run_id: z.string(),
  title,
  workflow_id: z.string(),
  started_at: z.string(),
  updated_at: z.string(),
  lifecycle_state: z.enum(LIFECYCLE_STATES),
  outcome: z.enum(RUN_OUTCOMES).nullable(),
  current_step_id: z.string().nullable(),
  last_completed_step_id: z.string().nullable(),
  active_opcode: z.enum(OPCODES).nullable(),
  active_runner_family: z.string().nullable(),
  active_attempt: z.int().nullable(),
  worktree_path: z.string().nullable(),
  last_route_target: z.string().nullable(),
  last_decision: z
    .strictObject({
      status: z.enum(PLANNER_STATUSES),
      next_step: z.string().nullable(),
      refinement_requested: z.boolean(),
    })
    .nullable(),
  refinement: z.strictObject({ spent: z.int(), max: z.int() }).nullable(),
  awaiting: z
    .strictObject({
      step_id: z.string(),
      gate: z.string(),
      requested_at: z.string(),
      expires_at: z.string().nullable(),
    })
    .nullable(),
  termination: z.enum(TERMINATIONS).nullable(),
  blocking_reason: z.string().nullable(),
  pr_url: prUrl,
  elapsed_seconds: z.number(),
});
export type Status = z.infer<typeof statusSchema>;

/** Roles with a defined meaning; a manifest can contain others. */
const ARTIFACT_ROLES = [
  'runner_transcript',
  'runner_final_response',
  'runner_metadata',
  'policy_summary',
  'validation_report',
  'validation_stdout',
  'validation_stderr',
  'planner_input',
  'planner_decision',
  'planner_trace',
  'gate_request',
  'gate_outcome',
  'workspace_diff',
  'workspace_status',
  'harness_screenshot',
  'harness_trace',
  'harness_fixture',
  'setup_output',
  'baseline_report',
] as const;

const artifactSchema = z.strictObject({
  role: z.string().describe(`Reserved: ${ARTIFACT_ROLES.join(', ')}.`),
  path: z.string().describe('Relative to the run directory.'),
  media_type: z.string(),
  sha256: z.string(),
  bytes: z.int().nonnegative(),
  required: z.boolean(),
  important: z.boolean(),
});
export type ArtifactRecord = z.infer<typeof artifactSchema>;

export const manifestSchema = z.strictObject({
  step_id: z.string().nullable().describe('Null for `_setup` and `_baseline`, which belong to no step.'),
  opcode: z.enum(OPCODES).nullable().describe('Null if step_id is null.'),
  attempt: z.int().positive(),
  started_at: z.string(),
  ended_at: z.string(),
  termination: z.enum(TERMINATIONS),
  evidence_summary: z.string(),
  artifacts: z.array(artifactSchema),
});
export type Manifest = z.infer<typeof manifestSchema>;

/** Evidence folders of the run itself. Step ids can't start with `_`, so they never clash. */
export const RUN_FOLDERS = ['_setup', '_baseline'] as const;
export type RunFolder = (typeof RUN_FOLDERS)[number];

/** The evidence folder of an attempt of a step, relative to the run directory. */
export function stepFolderOf(stepId: string, attempt: number): string {
  return `artifacts/${attempt === 1 ? stepId : `${stepId}@${attempt}`}`;
}
