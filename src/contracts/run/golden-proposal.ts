import * as z from 'zod';

const capturedFileSchema = z.looseObject({ path: z.string(), sha256: z.string(), bytes: z.int() });

/** A proposed golden as shown at a gate. Paths of captured files are relative to the run directory. */
export const goldenProposalSchema = z.looseObject({
  id: z.string().nullable(),
  golden_path: z.string().nullable().describe('Relative to the repository.'),
  kind: z.string().nullable(),
  validator: z.string().describe('The key of the validator, unique across steps.'),
  step_id: z.string(),
  attempt: z.int().min(1).describe('The attempt of the step whose report proposes it.'),
  proposed: capturedFileSchema.nullable().describe('The captured bytes; an approval accepts these.'),
  diff: capturedFileSchema.nullable().describe('The diff file of the harness.'),
  golden: z.looseObject({
    exists: z.boolean().nullable().describe('Null until a gate has checked.'),
    sha256: z.string().nullable(),
    bytes: z.int().nullable(),
  }),
  acceptable: z.boolean(),
  why: z.string().nullable().describe('Why it is not acceptable.'),
  pixels: z.int().nullable().describe('Number of differing pixels, if the report states it.'),
  insertions: z.int().nullable(),
  deletions: z.int().nullable(),
  difference: z.string().nullable().describe('The beginning of the difference; null if it is not text.'),
});
export type GoldenProposal = z.infer<typeof goldenProposalSchema>;

/** The state of a proposal. A rejected proposal can still be accepted at a later gate. */
const GOLDEN_STATES = ['pending', 'accepted', 'not_accepted', 'rejected', 'timed_out', 'superseded'] as const;
export type GoldenState = (typeof GOLDEN_STATES)[number];

export const goldenRecordSchema = goldenProposalSchema.extend({
  state: z.enum(GOLDEN_STATES),
  gate: z.string().nullable().describe('The gate at which it was answered.'),
  by: z.string().nullable(),
  at: z.string().nullable(),
});
