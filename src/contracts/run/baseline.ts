import * as z from 'zod';
import { MECHANICAL_OUTCOMES } from '../vocabulary.ts';

/** How one validator ended on the base commit. */
const baselineValidatorSchema = z.object({
  id: z.string(),
  /** Identifies the same validator across steps: its name, or step and id. */
  key: z.string(),
  /** False if the validator does not exist at the base. */
  ran: z.boolean(),
  outcome: z.enum(MECHANICAL_OUTCOMES).nullable(),
  exit_code: z.int().nullable(),
  /** The signal that killed it. A crash counts as red. */
  signal: z.string().nullable().default(null),
  reason: z.string().nullable(),
  /** The end of its output. */
  output: z.string(),
  /** The output lines of a failed optional validator; null for others. */
  findings: z.array(z.string()).nullable().default(null),
  /** Its captured or converted harness report; null if there is none. */
  report: z.unknown(),
});
export type BaselineValidator = z.infer<typeof baselineValidatorSchema>;

/** The results of the checks on the base commit, before any agent starts. */
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
