import * as z from 'zod';
import { CLI_DOCUMENTS } from '../cli/cli-documents.ts';
import { graphSchema } from './run-page.ts';

const origin = z.enum(['repository', 'user', 'built_in']);

export const workflowsSchema = z.object({
  workflows: z.array(
    z.object({
      id: z.string().describe('Names it in `conductor run` and in other routes.'),
      path: z.string().describe('Relative to the repository; absolute outside of it.'),
      origin,
      description: z.string().describe("Empty if it can't be read."),
      ok: z.boolean().describe('Whether it has no errors.'),
      shadowed: z
        .boolean()
        .describe('Whether a nearer folder has a workflow of the same id, which runs instead.'),
    }),
  ),
});
export type WorkflowsDocument = z.infer<typeof workflowsSchema>;

/** A workflow, or an edited text of one: what `validate --prove --json` and `graph` say about it. */
export const workflowPageSchema = z.object({
  id: z.string().nullable().describe('Null for an edited text.'),
  path: z.string(),
  origin: origin.nullable(),
  source: z.string(),
  ok: z.boolean().describe('Whether it has no errors.'),
  validation: CLI_DOCUMENTS.validate.describe('The document of `validate --prove --json`.'),
  graph: graphSchema.nullable().describe('Null if it has errors.'),
  commands: z.array(z.string()),
});
export type WorkflowPage = z.infer<typeof workflowPageSchema>;

/** The largest text of a workflow that is checked. */
const MAX_WORKFLOW_TEXT = 512 * 1024;

export const checkBodySchema = z.strictObject({
  source: z.string().max(MAX_WORKFLOW_TEXT),
});
