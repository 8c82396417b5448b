import * as z from 'zod';

const count = z.int().nonnegative();

const changedFile = {
  path: z
    .string()
    .describe('With unsafe characters and backslashes as escapes: names the file in other routes.'),
  old_path: z.string().nullable().describe('Set for a rename.'),
  status: z.enum(['A', 'M', 'D', 'R']),
  binary: z.boolean(),
};

/** The files of a change, a page of them. */
export const changesSchema = z.object({
  run_id: z.string(),
  step: z.string().nullable().describe('The step whose change it is; null for the whole run.'),
  total: count,
  offset: count,
  insertions: count,
  deletions: count,
  files: z.array(
    z.object({
      ...changedFile,
      insertions: count.nullable().describe('Null for a binary file.'),
      deletions: count.nullable(),
      lines: count.describe('The number of lines in its hunks.'),
      generated: z.boolean().describe('Whether a program wrote it, by its name or its first lines.'),
      deciding: z
        .string()
        .nullable()
        .describe('Why it affects whether the work is accepted, such as `test`; null if it does not.'),
    }),
  ),
  problem: z.string().nullable().describe("Why the change can't be shown; null if it can."),
});
export type ChangesDocument = z.infer<typeof changesSchema>;

const lineSchema = z.tuple([
  z.enum(['context', 'added', 'removed', 'note']),
  z.int().nullable().describe('The line number before the change.'),
  z.int().nullable().describe('The line number after the change.'),
  z.string(),
]);

/** A range of the lines in the hunks of one file. */
export const changedFileSchema = z.object({
  run_id: z.string(),
  step: z.string().nullable(),
  ...changedFile,
  language: z.string().nullable().describe('By the name of the file, for syntax colours.'),
  from: count.describe('The first line of this page; lines of all hunks are counted together, from 0.'),
  total_lines: count,
  hunks: z.array(
    z.object({
      old_start: count,
      new_start: count,
      continued: z.boolean().describe('Whether the page starts in the middle of the hunk.'),
      heading: z.string().describe('What git prints after the line numbers, such as a function.'),
      lines: z.array(lineSchema),
    }),
  ),
});
export type ChangedFileDocument = z.infer<typeof changedFileSchema>;
export type ChangedLine = z.infer<typeof lineSchema>;
