import * as z from 'zod';

/** With fewer runs than this, a rate or an average says too little to print. */
export const MIN_RUNS_FOR_FIGURE = 10;

/** Kinds of ends in the course over time; the page and the text name them alike. */
export const END_KINDS = ['success', 'unverified', 'stopped', 'failed'] as const;
export type EndKind = (typeof END_KINDS)[number];

/** How each figure is computed: the schema, the page and the documentation use these sentences. */
export const STATS_DEFINITIONS = {
  runs: 'Runs that have ended and were not cancelled. A run that used several agents, models or prompts counts in the group of each.',
  success:
    'The share of these runs whose outcome is `success`, with the 95 % Wilson score interval. Every other outcome, `unverified` too, is no success.',
  contradictions:
    'How often the evaluations of these runs found that the evidence contradicts what an agent said. A run with several agents adds all of its contradictions to each of its groups.',
  attempts:
    'All attempts at agent steps, those of runs without success included, divided by the number of successes.',
  time: 'The median time from the start of a run to its end, including the time it waited for an answer or was parked.',
  tokens:
    'Input and output tokens of all runs in which every start of an agent reports both, those without success included, divided by the number of successes among them.',
  cost: 'The cost of all runs in which every start of an agent reports it, those without success included, divided by the number of successes among them.',
  own: 'Attempts, tokens and cost in a group of an agent, model or prompt are those of its own agent steps; in a group of a workflow, those of the whole run.',
} as const;

/** Why a figure has no value. */
const FIGURE_GAPS = ['too_few_runs', 'unknown', 'no_success'] as const;
export type FigureGap = (typeof FIGURE_GAPS)[number];

const figureSchema = z.object({
  value: z.number().nonnegative().nullable().describe('Null if `missing` says why.'),
  runs: z.int().nonnegative().describe('The number of runs that the value is computed from.'),
  missing: z
    .enum(FIGURE_GAPS)
    .nullable()
    .describe(
      `\`too_few_runs\`: fewer than ${MIN_RUNS_FOR_FIGURE}. \`unknown\`: no run reports it. \`no_success\`: nothing to divide by.`,
    ),
});
export type Figure = z.infer<typeof figureSchema>;

const rateSchema = z.object({
  rate: z.number().min(0).max(1),
  low: z.number().min(0).max(1).describe('The lower end of the 95 % Wilson score interval.'),
  high: z.number().min(0).max(1).describe('The upper end.'),
});
export type SuccessRate = z.infer<typeof rateSchema>;

const groupSchema = z.object({
  name: z.string().nullable().describe('Null for a model that is not recorded, and for inline prompts.'),
  runs: z.int().positive().describe(STATS_DEFINITIONS.runs),
  successes: z.int().nonnegative(),
  success_rate: rateSchema
    .nullable()
    .describe(`${STATS_DEFINITIONS.success} Null with fewer than ${MIN_RUNS_FOR_FIGURE} runs.`),
  contradictions: z.int().nonnegative().describe(STATS_DEFINITIONS.contradictions),
  attempts_per_success: figureSchema.describe(`${STATS_DEFINITIONS.attempts} ${STATS_DEFINITIONS.own}`),
  median_wall_ms: figureSchema.describe(STATS_DEFINITIONS.time),
  tokens_per_success: figureSchema.describe(STATS_DEFINITIONS.tokens),
  median_tokens: figureSchema.describe('The median of the tokens of a run, over the runs that report them.'),
  cost_usd_per_success: figureSchema.describe(STATS_DEFINITIONS.cost),
  median_cost_usd: figureSchema.describe('The median of the cost of a run, over the runs that report it.'),
});
export type StatsGroup = z.infer<typeof groupSchema>;

const groups = z.array(groupSchema).optional();

const periodSchema = z.object({
  from: z.string().describe('The first day, in UTC.'),
  days: z.int().positive(),
  ends: z.object({
    success: z.int().nonnegative(),
    unverified: z.int().nonnegative(),
    stopped: z
      .int()
      .nonnegative()
      .describe('Outcome `partial`, `blocked`, `needs_human`, `rejected` or `timed_out`.'),
    failed: z.int().nonnegative().describe('Outcome `unsafe`, `policy`, `budget` or `error`.'),
  }),
  cost_usd: z.number().nonnegative().describe('The sum over the runs that report their cost.'),
  cost_unknown: z.int().nonnegative().describe('Runs that do not report their cost.'),
});
export type StatsPeriod = z.infer<typeof periodSchema>;

/** The document of `stats --json`; the page and the tables print it too. */
export const statsSchema = z.object({
  since: z.string().nullable().describe('Only runs that started at this time or later; null for all.'),
  runs: z
    .int()
    .nonnegative()
    .describe('Runs that have ended and were not cancelled: all figures are about these.'),
  not_counted: z.object({
    running: z.int().nonnegative().describe('Running, waiting at a gate, parked or interrupted.'),
    cancelled: z.int().nonnegative(),
    unreadable: z.int().nonnegative().describe('Their record is damaged: `conductor verify RUN` says where.'),
  }),
  groups: z
    .object({ agent: groups, model: groups, prompt: groups, workflow: groups })
    .describe('With `--by`, only that one. The largest group comes first.'),
  periods: z
    .array(periodSchema)
    .describe('The same runs by the day of their start, oldest first, in periods of equal length.'),
});
export type Stats = z.infer<typeof statsSchema>;
