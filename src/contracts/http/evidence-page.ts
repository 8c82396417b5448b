import * as z from 'zod';
import { goldenRecordSchema } from '../run/golden-proposal.ts';
import { MECHANICAL_OUTCOMES, OPCODES, TERMINATIONS } from '../vocabulary.ts';

const count = z.int().nonnegative();

const counts = z.object({ passed: count, failed: count, skipped: count, flaky: count, total: count });

const artifact = z.object({
  role: z.string(),
  path: z
    .string()
    .describe('Relative to the run directory, with unsafe characters and backslashes as escapes.'),
  media_type: z.string(),
  bytes: count,
  important: z.boolean(),
  url: z.string().describe('Where the file is downloaded, relative to the address of the run.'),
  picture: z.boolean().describe('Whether its name is that of a picture, which the page may show.'),
});

const claim = z.object({
  claim: z.string(),
  verdict: z.enum(['confirmed', 'contradicted', 'unverified']),
  source: z.string().describe('`result_file`, `tail` or `phrase`.'),
  evidence: z.string().describe('What confirms or contradicts it.'),
  step: z.string().nullable().describe('The attempt of the agent that made the claim.'),
  links: z
    .array(
      z.object({
        kind: z.enum(['checks', 'case', 'changes', 'file', 'output']),
        step: z.string().describe('The attempt whose evidence it is.'),
        label: z.string(),
        path: z.string().nullable().describe('For `file`: the changed file.'),
        case: z.string().nullable().describe('For `case`: its name.'),
        validator: z.string().nullable().describe('For `output`: whose output.'),
      }),
    )
    .describe('The evidence itself.'),
});

const stream = z.object({
  stream: z.enum(['transcript', 'stdout', 'stderr', 'setup']),
  validator: z.string().nullable(),
  name: z.string().describe('The file, relative to the folder of the step.'),
  size: count,
});

/** Everything about one attempt at a step, without what is large. */
export const stepPageSchema = z.object({
  run_id: z.string(),
  key: z.string(),
  step_id: z.string(),
  opcode: z.enum(OPCODES),
  attempt: z.int().min(1),
  visit: z.int().min(1),
  started_at: z.string(),
  ended_at: z.string().nullable(),
  duration_ms: z.number().nonnegative().nullable(),
  termination: z.enum(TERMINATIONS).nullable(),
  reason: z.string().nullable(),
  summary: z.string().nullable().describe('The line of its manifest; null until it has ended.'),
  why: z
    .object({
      reason: z.string(),
      change: z.string().describe('What would lead to another result.'),
      planner: z.string().nullable(),
      risk_flags: z.array(z.string()),
      blockers: z.array(z.object({ code: z.string(), summary: z.string() })),
    })
    .nullable()
    .describe('Only for an evaluation.'),
  claims: z.array(claim).describe('Of an evaluation: the claims that it checked. Of an agent: its own.'),
  final_response: z.string().nullable().describe('The beginning of what the agent said last.'),
  checks: z
    .object({
      step: z.string(),
      passed: count,
      total: count,
      failed: z.array(z.string()),
      cases: counts.nullable(),
    })
    .nullable()
    .describe(
      'Of a validation: its validators. Of an evaluation or a gate: those of the last validation before it.',
    ),
  change: z
    .object({ files: count, insertions: count, deletions: count })
    .nullable()
    .describe('What an agent changed.'),
  policy: z
    .object({
      notes: z.array(z.string()),
      violations: z.array(z.object({ class: z.string(), subject: z.string(), message: z.string() })),
    })
    .nullable(),
  has_prompt: z.boolean(),
  output: z.array(stream).describe('What can be read as output.'),
  evidence: z.array(artifact),
});
export type StepPage = z.infer<typeof stepPageSchema>;
export type ClaimLine = StepPage['claims'][number];
export type ClaimLink = ClaimLine['links'][number];
export type OutputStream = z.infer<typeof stream>;
export type ArtifactLine = z.infer<typeof artifact>;

/** The results of a validation, and a page of its cases. */
export const checksSchema = z.object({
  run_id: z.string(),
  step: z.string(),
  outcome: z.enum(MECHANICAL_OUTCOMES).nullable(),
  validators: z.array(
    z.object({
      id: z.string(),
      outcome: z.enum(MECHANICAL_OUTCOMES),
      exit_code: z.int().nullable(),
      duration_ms: z.number().nonnegative().nullable(),
      reason: z.string().nullable(),
      tries: z.int().min(1),
      flaky: z.boolean(),
      counts: counts.nullable().describe('Null without a report.'),
      baseline: z
        .object({
          ran: z.boolean(),
          outcome: z.enum(MECHANICAL_OUTCOMES).nullable(),
          exit_code: z.int().nullable(),
          counts: counts.nullable(),
        })
        .nullable()
        .describe('The same validator on the base commit; null if it was not run there.'),
    }),
  ),
  notes: z.array(z.string()).describe('How far the checks can be trusted.'),
  changes: z
    .object({ regressions: count, fixed: count, added: count, missing: count })
    .describe('Compared with the base, over all cases.'),
  counts,
  total: count.describe('How many cases match the filter.'),
  offset: count,
  cases: z.array(
    z.object({
      name: z.string(),
      validator: z.string(),
      status: z
        .enum(['passed', 'failed', 'skipped', 'flaky', 'missing'])
        .describe('`missing`: it ran at the base only.'),
      baseline: z
        .enum(['passed', 'failed', 'skipped', 'flaky'])
        .nullable()
        .describe('Null if the base has no such case.'),
      change: z
        .enum(['regression', 'fixed', 'added', 'missing', 'same'])
        .nullable()
        .describe('Null without a baseline.'),
      message: z.string().nullable(),
      place: z.string().nullable().describe('A path in the repository, with a line if known.'),
      repro: z.string().nullable(),
    }),
  ),
});
export type ChecksDocument = z.infer<typeof checksSchema>;
export type CheckedCase = ChecksDocument['cases'][number];

/** What `filter` of the checks can be. */
export const CASE_FILTERS = ['all', 'failed', 'changed', 'passed', 'skipped', 'flaky'] as const;
export type CaseFilter = (typeof CASE_FILTERS)[number];

const spanSchema = z.object({
  text: z.string(),
  style: z
    .string()
    .optional()
    .describe(
      'Names of classes, separated by spaces: `fg-red`, `bg-bright-blue`, `bold`, `dim`, `italic`, `underline`, `strike`.',
    ),
});

const outputLine = z.object({
  n: z
    .int()
    .describe('The number of the line from 1; from -1 backwards if the lines before it are not counted yet.'),
  spans: z.array(spanSchema),
  overwritten: count.optional().describe('How many earlier states of a progress line are not shown.'),
  cut: count.optional().describe('How many bytes of a long line are not shown.'),
});

/** A range of lines of what a program printed. */
export const outputSchema = z.object({
  run_id: z.string(),
  step: z.string(),
  stream: z.enum(['transcript', 'stdout', 'stderr', 'setup']),
  validator: z.string().nullable(),
  name: z.string(),
  lines: z.array(outputLine),
  total_lines: count.nullable().describe('Null while the lines of a large file are being counted.'),
  counted_lines: count.describe('How many lines are counted so far.'),
  size: count.describe('In bytes.'),
  more: z.boolean().describe('Whether lines follow this page.'),
  growing: z.boolean().describe('Whether the step is still running.'),
});
export type OutputDocument = z.infer<typeof outputSchema>;
export type OutputLine = OutputDocument['lines'][number];

export const promptSchema = z.object({
  run_id: z.string(),
  step: z.string(),
  text: z.string(),
  bytes: count,
  cut: z.boolean().describe('Whether only its beginning is here.'),
});
export type PromptDocument = z.infer<typeof promptSchema>;

export const artifactsSchema = z.object({
  run_id: z.string(),
  steps: z.array(
    z.object({
      key: z.string(),
      step_id: z.string().nullable().describe('Null for setup and baseline, which belong to no step.'),
      attempt: z.int().min(1),
      artifacts: z.array(artifact),
    }),
  ),
  files: z.array(artifact).describe('Files about the whole run.'),
});
export type ArtifactsDocument = z.infer<typeof artifactsSchema>;

/** The document of `goldens --json`, with the pictures as addresses. */
export const goldensPageSchema = z.object({
  run_id: z.string(),
  goldens: z.array(
    goldenRecordSchema.extend({
      golden_id: z.string().describe('Names the golden in an answer.'),
      picture: z.boolean(),
      old_url: z.string().nullable().describe('The stored golden; null if there is none.'),
      new_url: z.string().nullable().describe('The proposed one.'),
      diff_url: z.string().nullable().describe('The difference by the harness.'),
    }),
  ),
});
export type GoldensDocument = z.infer<typeof goldensPageSchema>;
