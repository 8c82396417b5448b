import * as z from 'zod';
import { LIFECYCLE_STATES, RUN_OUTCOMES } from '../vocabulary.ts';
import { printed } from './printed-document.ts';

/** The sections of a report, in order. A run is in the first one that fits. */
export const REPORT_SECTIONS = ['needs_you', 'claimed_not_shown', 'done', 'failed', 'running'] as const;
export type ReportSectionId = (typeof REPORT_SECTIONS)[number];

const count = z.int().nonnegative();

export const spendSchema = z
  .looseObject({
    starts: count.describe('How often an agent, or a model as planner, was started.'),
    agent_ms: z.number().nonnegative(),
    input_tokens: count,
    output_tokens: count,
    cost_usd: z.number().nonnegative(),
    unknown: z
      .looseObject({ agent_ms: count, input_tokens: count, output_tokens: count, cost_usd: count })
      .describe('The number of starts that did not report it; the sums are without them.'),
  })
  .describe('Sums over the starts that reported a number.');
export type Spend = z.infer<typeof spendSchema>;

const cases = z.looseObject({ passed: count, failed: count, total: count });

const reportLineSchema = z.looseObject({
  run_id: z.string(),
  id: z.string().describe('The run id, as short as is unique in the repository.'),
  repository: z.string().describe('The name of the repository.'),
  title: z.string().nullable(),
  workflow_id: z.string(),
  state: z.enum([...LIFECYCLE_STATES, 'interrupted']),
  outcome: z.enum(RUN_OUTCOMES).nullable(),
  started_at: z.string(),
  updated_at: z.string(),
  ended_at: z.string().nullable(),
  reason: z.string().nullable(),
  first_cause: z.string().nullable(),
  cancelled_by: z.string().nullable(),
  gate: z
    .looseObject({
      step_id: z.string(),
      reason: z.string(),
      requested_at: z.string(),
      expires_at: z.string().nullable(),
      answer: z.string().nullable(),
    })
    .nullable(),
  parked: z.looseObject({ step_id: z.string(), until: z.string(), reason: z.string() }).nullable(),
  current_step_id: z.string().nullable(),
  change: z.looseObject({ files: count, insertions: count, deletions: count }).nullable(),
  checks: z
    .looseObject({ passed: count, total: count, failed: z.array(z.string()), cases: cases.nullable() })
    .nullable(),
  claims: z.looseObject({
    confirmed: count,
    contradicted: count,
    unverified: count,
    contradicted_texts: z.array(z.string()),
  }),
  flags: z.array(z.string()).describe('Flags of the last evaluation that cast doubt on the result.'),
  approved: z.boolean().describe('Whether a user approved a gate after the last evaluation.'),
  last_message: z.looseObject({ step_id: z.string(), lines: z.array(z.string()), more: count }).nullable(),
  branch: z.string().nullable(),
  salvage_refs: z.array(z.string()),
  pull_request_url: z.string().nullable(),
  spend: spendSchema,
  commands: z.array(z.string()).describe('What to run next; empty if nothing is needed.'),
});
export type ReportLine = z.infer<typeof reportLineSchema>;

const questionSchema = z.looseObject({
  repository: z.string(),
  item_id: z.string(),
  title: z.string(),
  status: z.string(),
  question: z.string(),
  commands: z.array(z.string()),
});
export type ReportQuestion = z.infer<typeof questionSchema>;

const newsSchema = z.looseObject({
  repository: z.string(),
  run_id: z.string().describe('The run that took the latest baseline.'),
  id: z.string(),
  base_sha: z.string(),
  before_sha: z.string(),
  outcome: z.string(),
  before_outcome: z.string(),
  newly_failing: z.array(z.string()).describe('Cases, or validators without a report.'),
  fixed: z.array(z.string()),
});
export type ReportNews = z.infer<typeof newsSchema>;

const diskSchema = z.looseObject({
  repository: z.string(),
  runs_bytes: count,
  workspaces_bytes: count,
  is_complete: z.boolean().describe('False if there was no time to measure everything.'),
});
export type ReportDisk = z.infer<typeof diskSchema>;

const groupSchema = z.looseObject({ name: z.string(), runs: count, spend: spendSchema });
export type SpendGroup = z.infer<typeof groupSchema>;

const reportSchema = z.looseObject({
  generated_at: z.string(),
  since: z.string().nullable().describe('Null if runs were named.'),
  sections: z
    .array(
      z.looseObject({
        id: z.enum(REPORT_SECTIONS),
        runs: z.array(reportLineSchema),
        questions: z.array(questionSchema).describe('Only in `needs_you`.'),
      }),
    )
    .describe('In order, without empty ones.'),
  news: z.array(newsSchema),
  spent: z.looseObject({
    total: spendSchema,
    by_agent: z.array(groupSchema),
    by_workflow: z.array(groupSchema),
  }),
  disk: z.array(diskSchema),
  unreadable: z.array(
    z.looseObject({
      repository: z.string(),
      subject: z.string().describe('Such as `run 0199ab12` or `work items`.'),
      problem: z.string(),
    }),
  ),
});
export type Report = z.infer<typeof reportSchema>;

export const reportDocument = printed(reportSchema.shape);
