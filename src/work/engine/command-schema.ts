import * as z from 'zod/mini';
import { specSchema, stackedOnSchema, WORK_STATUSES } from '../../contracts/work/work-item.ts';
import {
  implementorResultSchema,
  plannerResultSchema,
  ROLES,
  reviewerResultSchema,
} from '../../contracts/work/work-results.ts';
import type { WorkCommand } from './command.ts';

const text = z.string();
const run = { runId: text, role: z.enum(ROLES), itemId: z.nullable(text) };

const workCommandSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('request_planner_run'), specs: z.array(specSchema) }),
  z.object({ kind: z.literal('request_implementor_run'), itemId: text }),
  z.object({ kind: z.literal('request_reviewer_run'), itemId: text, revisionId: text }),
  z.object({
    kind: z.literal('accept_run'),
    ...run,
    specs: z.array(specSchema),
    revisionId: z.nullable(text),
  }),
  z.object({
    kind: z.literal('apply_planner_result'),
    runId: text,
    specs: z.array(specSchema),
    result: plannerResultSchema,
  }),
  z.object({
    kind: z.literal('apply_implementor_result'),
    runId: text,
    itemId: text,
    base: text,
    stackedOn: z.optional(z.array(stackedOnSchema)),
    result: implementorResultSchema,
  }),
  z.object({
    kind: z.literal('apply_reviewer_result'),
    runId: text,
    itemId: text,
    revisionId: text,
    result: reviewerResultSchema,
    maxRounds: z.optional(z.int()),
  }),
  z.object({ kind: z.literal('give_up_run'), ...run, reason: text, counted: z.boolean() }),
  z.object({ kind: z.literal('transition'), itemId: text, to: z.enum(WORK_STATUSES), reason: text }),
  z.object({ kind: z.literal('extend_scope'), itemId: text, path: text, reason: text }),
  z.object({ kind: z.literal('merge'), itemId: text }),
  z.object({ kind: z.literal('cancel_run'), itemId: text }),
]);

/** Parses a command from the journal; null if this version does not know it. */
export function readCommand(recorded: Readonly<Record<string, unknown>>): WorkCommand | null {
  const parsed = workCommandSchema.safeParse(recorded);
  return parsed.success ? parsed.data : null;
}
