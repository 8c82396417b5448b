import * as z from 'zod';
import { journalEntrySchema, reviewRecordSchema } from '../work/work-event.ts';
import { revisionSchema, WORK_STATUSES, workItemSchema } from '../work/work-item.ts';
import { ROLES } from '../work/work-results.ts';
import { scopedDocument } from './cli-scope-document.ts';
import { printed } from './printed-document.ts';

const problem = {
  path: z.string().describe('Dotted from the top; empty for the whole document.'),
  code: z.string().describe('Which rule; the page about contracts lists them.'),
  message: z.string(),
};

const contractDocument = printed({
  ok: z.boolean().describe('Whether there is no problem.'),
  kind: z.string(),
  problems: z.array(z.looseObject(problem)),
});

const item = z.looseObject({
  ...workItemSchema.shape,
  waiting: z
    .string()
    .nullable()
    .describe('Why it stands where it stands; null where something is done about it.'),
  run: z
    .looseObject({ run_id: z.string(), role: z.enum(ROLES) })
    .nullable()
    .describe('The run that works on it.'),
});

const event = z.looseObject(journalEntrySchema.shape);

/** Output of every action that changes something. */
const changed = printed({
  ok: z.boolean(),
  reason: z.string().nullable().describe('What is left, or what went wrong.'),
  help: z.string().nullable().optional(),
  problems: z.array(z.looseObject(problem)).optional().describe('With `apply`: what breaks the contract.'),
  events: z.array(event).describe('What the journal got meanwhile.'),
  items: z.array(item).describe('All items, as they are now.'),
});

const listed = printed({
  items: z.array(item),
  unplanned: z.array(z.string()).describe('Approved specs that are not as they were when they were planned.'),
  planning_stopped: z.string().nullable().describe('Why the planner is not asked any more.'),
});

const shown = printed({
  item,
  body: z.string().describe('Markdown.'),
  labels: z.array(z.string()).describe('By category, then all others.'),
  criteria: z.array(z.looseObject({ text: z.string(), done: z.boolean() })),
  blockers: z.array(
    z.looseObject({
      id: z.string(),
      title: z.string().nullable(),
      status: z.enum(WORK_STATUSES).nullable().describe('Null where nobody knows it.'),
      done: z.boolean(),
    }),
  ),
  revision: z.looseObject(revisionSchema.shape).nullable(),
  reviews: z.array(z.looseObject(reviewRecordSchema.shape)),
  summaries: z.array(z.looseObject({ run_id: z.string(), summary: z.string() })),
  failures: z.array(z.looseObject({ at: z.string(), reason: z.string() })).describe('In a row.'),
  runs: z.array(
    z.looseObject({
      run_id: z.string(),
      role: z.enum(ROLES),
      ok: z.boolean().nullable().describe('Null while it goes on.'),
      reason: z.string().nullable(),
    }),
  ),
  history: z.array(event),
});

const template = printed({ kind: z.string(), template: z.string().describe('Markdown.') });

const linted = printed({
  ok: z.boolean().describe('Whether there is no problem.'),
  kind: z.string().nullable().describe('The template it was held against; null where it follows none.'),
  problems: z.array(z.looseObject({ ...problem, line: z.int().min(1) })),
});

const labels = printed({
  labels: z.array(
    z.looseObject({
      name: z.string(),
      description: z.string(),
      color: z.string().describe('Six hexadecimal digits.'),
      made: z.boolean().describe('It was not there before.'),
    }),
  ),
});

/** The `--json` output of the work item commands; `work` has one document per action. */
export const WORK_DOCUMENTS = {
  contract: contractDocument,
  work: z.union([listed, shown, changed, labels, template, linted]).describe('With any action.'),
  'work-list': listed,
  'work-show': shown,
  'work-plan': changed,
  'work-dispatch': changed,
  'work-transition': changed,
  'work-apply': changed,
  'work-review': changed,
  'work-merge': changed,
  'work-watch': changed,
  'work-labels': labels,
  'work-template': template,
  'work-lint': linted,
  scope: scopedDocument,
} as const;
