import * as z from 'zod';
import { listedItemSchema, WORK_DOCUMENTS } from '../cli/cli-work-documents.ts';
import { WORK_STATUSES } from '../work/work-item.ts';

const count = z.int().nonnegative();

const boardItem = listedItemSchema.extend({
  depth: count.describe('How far it is indented below the blockers that it is stacked on.'),
});

/** The items of `work list --json` by status, a page of them. */
export const boardSchema = z.object({
  statuses: z.array(z.object({ status: z.enum(WORK_STATUSES), items: count })),
  total: count.describe('How many items match the filter.'),
  offset: count,
  items: z.array(boardItem).describe('A stacked item follows its blocker.'),
  edges: z
    .array(
      z.object({
        from: z.string().describe('The blocker.'),
        to: z.string(),
        kind: z
          .enum(['blocks', 'stacked'])
          .describe('`stacked`: built on the unmerged revision of the blocker.'),
        done: z.boolean().describe('Whether the blocker is done.'),
      }),
    )
    .describe('Between items of the whole board.'),
  unplanned: z.array(z.string()),
  planning_stopped: z.string().nullable(),
});
export type BoardDocument = z.infer<typeof boardSchema>;
export type BoardItem = BoardDocument['items'][number];

/** The document of `work show --json`, with what a user can do. */
export const itemPageSchema = WORK_DOCUMENTS['work-show'].extend({
  question: z
    .object({
      text: z.string(),
      options: z.array(z.string()),
      recommendation: z.string(),
    })
    .nullable()
    .describe('Only for a refinement.'),
  actions: z.object({
    transitions: z.array(z.enum(WORK_STATUSES)).describe('Statuses that a user can move it to.'),
    merge: z.boolean(),
    merge_blockers: z.array(z.string()).describe('Approved blockers that are not merged yet.'),
    scope: z.boolean(),
  }),
  commands: z.array(z.string()),
});

export const transitionBodySchema = z.strictObject({
  to: z.enum(WORK_STATUSES),
  reason: z.string().max(2_000),
});

export const mergeBodySchema = z.strictObject({ with_blockers: z.boolean().default(false) });

export const scopeBodySchema = z.strictObject({
  add: z.array(z.string().min(1).max(4_096)).min(1).max(100),
  reason: z.string().min(1).max(2_000),
});

/** What an action has done. */
export const itemActionSchema = z.object({
  ok: z.boolean(),
  message: z.string().nullable(),
  help: z.string().nullable(),
  events: z.array(z.object({ seq: count, type: z.string() })).describe('What it appended to the journal.'),
});
export type ItemActionDocument = z.infer<typeof itemActionSchema>;
