import * as z from 'zod/mini';
import { recordedIssueSchema } from './event.ts';

/** What a worker starts: the message that travels through the queue of an engine. */
export const submissionSchema = z.strictObject({
  version: z.literal(1),
  /** The text of the workflow. */
  workflow: z.string(),
  /** As the user named it, for the record. */
  base_ref: z.string(),
  /** What it named when the run was submitted. */
  base_sha: z.string(),
  inputs: z.record(z.string(), z.string()),
  title: z.nullable(z.string()),
  issue: z.optional(recordedIssueSchema),
  baseline: z.boolean(),
});
export type SubmittedRun = z.infer<typeof submissionSchema>;
