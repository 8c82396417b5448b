import * as z from 'zod';
import { MECHANICAL_OUTCOMES } from './vocabulary.ts';

/** How one validator ended on the base commit. */
const baselineValidatorSchema = z.object({
  id: z.string(),
  /** Names the same validator over several steps: its name, or step and id. */
  key: z.string(),
  /** False for one that was not at the base. */
  ran: z.boolean(),
  outcome: z.enum(MECHANICAL_OUTCOMES).nullable(),
  exit_code: z.int().nullable(),
  /** The signal that ended it: a crash, which is red. */
  signal: z.string().nullable().default(null),
  reason: z.string().nullable(),
  /** The end of what it printed. */
  output: z.string(),
  /** What an optional validator that failed reports, line by line; null for others. */
  findings: z.array(z.string()).nullable().default(null),
  /** Its harness report, as it was captured or converted; null if it left none. */
  report: z.unknown(),
});
export type BaselineValidator = z.infer<typeof baselineValidatorSchema>;

/** What the checks say about the base commit, before any agent starts. */
export const baselineRecordSchema = z.object({
  schema_version: z.literal(1),
  outcome: z.enum(['green', 'red', 'unable', 'off']),
  base_tree: z.string(),
  setup_digest: z.string().nullable(),
  validators: z.array(baselineValidatorSchema),
  cases: z.object({ failing: z.int(), passing: z.int(), total: z.int() }).nullable(),
  reason: z.string().nullable(),
});
export type BaselineRecord = z.infer<typeof baselineRecordSchema>;
