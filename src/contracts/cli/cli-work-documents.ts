import * as z from 'zod';
import { journalEntrySchema, reviewRecordSchema } from '../work/work-event.ts';
import { revisionSchema, WAITING_CODES, WORK_STATUSES, workItemSchema } from '../work/work-item.ts';
import { ROLES } from '../work/work-results.ts';
import { scopedDocument } from './cli-scope-document.ts';
import { printed } from './printed-document.ts';

const problem = {
  path: z.string().describe('Dotted from the top; empty for the whole document.'),
  code: z.string().describe('The code of the rule; see the page about contracts.'),
  message: z.string(),
};

const contractDocument = printed({
  ok: z.boolean().describe('True if there is no problem.'),
  kind: z.string(),
  problems: z.array(z.looseObject(problem)),
});

/** An item as `work list --json` prints it. */
export const listedItemSchema = z.looseObject({
  ...workItemSchema.shape,
  waiting: z.string().nullable().describe('Why the item waits; null if it is being worked on.'),
  waiting_reason: z
    .looseObject({
      code: z.enum(WAITING_CODES),
      needs_user: z.boolean().describe('Whether only a user can end it.'),
      items: z.array(z.string()).describe('The items that it waits for or that conflict.'),
      files: z.array(z.string()).describe('The files that they change.'),
      until: z.string().nullable().describe('When a parked run is resumed.'),
      command: z.string().nullable().describe('The command with which a user answers.'),
    })
    .nullable()
    .describe('The same for programs.'),
  run: z
    .looseObject({ run_id: z.string(), role: z.enum(ROLES) })
    .nullable()
    .describe('The run that is working on it.'),
});

const event = z.looseObject(journalEntrySchema.shape);

/** Output of every action that changes something. */
const changed = printed({
  ok: z.boolean(),
  reason: z.string().nullable().describe('What remains to do, or what went wrong.'),
  help: z.string().nullable().optional(),
  problems: z.array(z.looseObject(problem)).optional().describe('With `apply`: violations of the contract.'),
  events: z.array(event).describe('The events that were appended to the journal.'),
  items: z.array(listedItemSchema).describe('All items in their current state.'),
});

const listed = printed({
  items: z.array(listedItemSchema),
  unplanned: z.array(z.string()).describe('Approved specs that changed since they were planned.'),
  planning_stopped: z.string().nullable().describe('Why planning has stopped.'),
});

const shown = printed({
  item: listedItemSchema,
  body: z.string().describe('Markdown.'),
  labels: z.array(z.string()).describe('Labels with a category first, then all others.'),
  criteria: z.array(z.looseObject({ text: z.string(), done: z.boolean() })),
  blockers: z.array(
    z.looseObject({
      id: z.string(),
      title: z.string().nullable(),
      status: z.enum(WORK_STATUSES).nullable().describe('Null if unknown.'),
      done: z.boolean(),
    }),
  ),
  revision: z.looseObject(revisionSchema.shape).nullable(),
  reviews: z.array(z.looseObject(reviewRecordSchema.shape)),
  summaries: z.array(z.looseObject({ run_id: z.string(), summary: z.string() })),
  failures: z.array(z.looseObject({ at: z.string(), reason: z.string() })).describe('Consecutive failures.'),
  rounds: z.int().describe('Consecutive reviews that asked for changes.'),
  scope_extensions: z
    .array(z.looseObject({ path: z.string(), reason: z.string(), by: z.string() }))
    .describe('Paths that users allowed besides those of the body.'),
  runs: z.array(
    z.looseObject({
      run_id: z.string(),
      role: z.enum(ROLES),
      ok: z.boolean().nullable().describe('Null while it is running.'),
      reason: z.string().nullable(),
    }),
  ),
  history: z.array(event),
});

const template = printed({ kind: z.string(), template: z.string().describe('Markdown.') });

const linted = printed({
  ok: z.boolean().describe('True if there is no problem.'),
  kind: z.string().nullable().describe('The template it was checked against; null if it follows none.'),
  problems: z.array(z.looseObject({ ...problem, line: z.int().min(1) })),
});

const labels = printed({
  labels: z.array(
    z.looseObject({
      name: z.string(),
      description: z.string(),
      color: z.string().describe('Six hexadecimal digits.'),
      made: z.boolean().describe('Whether it was created now.'),
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
  'work-scope': changed,
  'work-merge': changed,
  'work-watch': changed,
  'work-labels': labels,
  'work-template': template,
  'work-lint': linted,
  scope: scopedDocument,
} as const;
