import * as z from 'zod';
import { CLI_DOCUMENTS } from '../cli/cli-documents.ts';
import { spendSchema } from '../cli/cli-report-document.ts';
import { answerOriginSchema } from '../run/answer-origin.ts';
import { eventPayloads } from '../run/event.ts';
import { LIFECYCLE_STATES, OPCODES, RUN_OUTCOMES, TERMINATIONS } from '../vocabulary.ts';

const count = z.int().nonnegative();

/** An attempt at a step, as the list of steps shows it. */
const stepLineSchema = z.object({
  key: z
    .string()
    .describe('`implement`, or `implement@2` for the second attempt; names the step in other routes.'),
  step_id: z.string(),
  opcode: z.enum(OPCODES),
  attempt: z.int().min(1),
  visit: z.int().min(1),
  recovery: z.boolean().describe('Whether it repeats an attempt that a crash interrupted.'),
  started_at: z.string(),
  ended_at: z.string().nullable(),
  duration_ms: z.number().nonnegative().nullable(),
  termination: z
    .enum(TERMINATIONS)
    .nullable()
    .describe('Null while it runs, waits, or if it was interrupted.'),
  state: z.enum(['running', 'waiting', 'parked', 'interrupted', 'ended']),
  reason: z.string().nullable(),
  spend: spendSchema.nullable().describe('Null for a step that starts no agent and no model.'),
});

const pathPartSchema = z.object({
  kind: z.enum(['step', 'result', 'end']),
  text: z.string(),
  key: z.string().nullable().describe('The step that the part is about; null for the end.'),
  tone: z.enum(['neutral', 'success', 'attention', 'danger', 'current']),
});

const pathSchema = {
  path_text: z.string().describe('The path of the run in one line.'),
  path: z.array(pathPartSchema).describe('The same in parts.'),
};

/** The document of `show --json` with more: a run as it is, or as it was after some event. */
export const runPageSchema = z.object({
  schema_version: z.literal(1),
  run_id: z.string(),
  short_id: z.string().describe('As short as is unique in the repository.'),
  title: z.string().nullable().describe('Null for a run of schema version 1.'),
  workflow_id: z.string(),
  lifecycle_state: z.enum(LIFECYCLE_STATES),
  outcome: z.enum(RUN_OUTCOMES).nullable().describe('Null until the run has ended.'),
  termination: z.enum(TERMINATIONS).nullable(),
  reason: z.string().nullable().describe('Why it ended.'),
  started_at: z.string(),
  updated_at: z.string(),
  ended_at: z.string().nullable(),
  branch: z
    .string()
    .nullable()
    .describe('The branch, or the ref, with the result; null if there is none yet.'),
  base_ref: z.string(),
  base_sha: z.string(),
  head_sha: z.string().nullable(),
  inputs: z.array(z.object({ name: z.string(), value: z.string() })),
  state: z
    .string()
    .describe('Its lifecycle state, or `interrupted` if it says running, but no process drives it.'),
  driver_pid: z.int().nullable().describe('The process that drives the run; null if none, and for the past.'),
  waiting_until: z.string().nullable().describe('When a parked run continues.'),
  as_of_seq: z.int().describe('The last event in this state; -1 for a run without events.'),
  as_of: z.string().describe('The time of that event.'),
  last_seq: z.int().describe('The last event of the log.'),
  ...pathSchema,
  awaiting: z
    .object({
      step_id: z.string(),
      key: z.string(),
      attempt: z.int().min(1),
      gate: z.string(),
      reason: z.string(),
      approvers: z.array(z.string()),
      requested_at: z.string(),
      expires_at: z.string().nullable(),
    })
    .nullable(),
  parked: z.object({ step_id: z.string(), until: z.string(), reason: z.string() }).nullable(),
  last_step_id: z.string().nullable(),
  steps: z.array(stepLineSchema),
  answers: z
    .array(
      z.object({
        step_id: z.string(),
        attempt: z.int().min(1),
        answer: z.enum(['gate_approved', 'gate_rejected']),
        by: z.string().nullable(),
        comment: z.string().nullable(),
        answered_at: z.string(),
        from: z.nullable(answerOriginSchema),
      }),
    )
    .describe('Answers to gates.'),
  notices: z.array(
    z.object({ step_id: z.string().nullable(), seq: count, ...eventPayloads.notice_recorded.shape }),
  ),
  violations: z.array(
    z.object({ step_id: z.string().nullable(), seq: count, ...eventPayloads.policy_violation.shape }),
  ),
  setup: z.array(z.object(eventPayloads.setup_completed.shape)).optional(),
  baseline: z
    .object(eventPayloads.baseline_recorded.shape)
    .optional()
    .describe('Missing until it is recorded.'),
  findings: z.array(z.string()),
  notes: z.array(z.string()).describe('How far the checks can be trusted.'),
  usage: z.object({
    input_tokens: z.int().nullable().describe('Null if not reported.'),
    output_tokens: z.int().nullable(),
    cost_usd: z.number().nullable(),
  }),
  spend: spendSchema,
  pull_request_url: z.string().nullable(),
  run_directory: z.string(),
  commands: z.array(z.string()).describe('What the page can do, as commands.'),
});
export type RunPage = z.infer<typeof runPageSchema>;
export type StepLine = RunPage['steps'][number];
export type PathPart = RunPage['path'][number];

const pointSchema = z.object({ x: z.number(), y: z.number() });

/** A workflow as a drawing; with a run, what the run has taken of it. */
export const graphSchema = z.object({
  width: z.number(),
  height: z.number(),
  nodes: z.array(
    z.object({
      id: z.string(),
      opcode: z.enum(OPCODES),
      lines: z.array(z.string()),
      entry: z.boolean(),
      x: z.number().describe('The centre.'),
      y: z.number(),
      width: z.number(),
      height: z.number(),
      tone: z.string(),
      state: z.enum(['taken', 'current', 'possible', 'untaken']),
      visits: count.describe('How often the run has entered it.'),
      key: z.string().nullable().describe('The last attempt at it; null if the run has not reached it.'),
    }),
  ),
  edges: z.array(
    z.object({
      from: z.string(),
      to: z.string(),
      label: z.array(z.string()).describe('The keys of its routes.'),
      label_at: pointSchema.describe('The middle of the upper border of the label.'),
      points: z.array(pointSchema).describe('From the lower border of the label to the target.'),
      back: z.boolean().describe('Whether it closes a loop.'),
      state: z.enum(['taken', 'current', 'possible', 'untaken']),
      times: count.describe('How often the run has taken it.'),
    }),
  ),
});
export type GraphDocument = z.infer<typeof graphSchema>;

/** Runs by the day of their start, for small plots. */
export const daysSchema = z.object({
  days: z
    .array(
      z.object({
        day: z.string().describe('The day in UTC.'),
        runs: count,
        success: count,
        unverified: count,
        stopped: count.describe('Outcome `partial`, `blocked`, `needs_human`, `rejected` or `timed_out`.'),
        failed: count.describe('Outcome `unsafe`, `policy`, `budget` or `error`.'),
        cancelled: count,
        running: count,
        cost_usd: z.number().nonnegative().describe('The sum of what was reported.'),
        cost_unknown: count.describe('Starts of agents that did not report their cost.'),
        agent_ms: z.number().nonnegative(),
      }),
    )
    .describe('Oldest first, without gaps.'),
});
export type DaysDocument = z.infer<typeof daysSchema>;

/** The document of `runs --json` with the next page. */
export const runsPageSchema = CLI_DOCUMENTS.runs.extend({
  next: z.string().nullable().describe('`before` of the next page; null on the last one.'),
  total: count.describe('How many runs match the filter.'),
});
