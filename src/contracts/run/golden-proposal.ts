import * as z from 'zod';

const capturedFileSchema = z.looseObject({ path: z.string(), sha256: z.string(), bytes: z.int() });

/** A proposed golden as shown at a gate. Paths of captured files are relative to the run directory. */
export const goldenProposalSchema = z.looseObject({
  id: z.string().nullable(),
  golden_path: z.string().nullable().describe('Relative to the repository.'),
  kind: z.string().nullable(),
  validator: z.string().describe('By the key that tells it from namesakes in other steps.'),
  step_id: z.string(),
  attempt: z.int().min(1).describe('The entry of the step whose report proposes it.'),
  proposed: capturedFileSchema.nullable().describe('The captured bytes; an approval accepts these.'),
  diff: capturedFileSchema.nullable().describe('What the harness itself shows of the difference.'),
  golden: z.looseObject({
    exists: z.boolean().nullable().describe('Null until a gate has looked.'),
    sha256: z.string().nullable(),
    bytes: z.int().nullable(),
  }),
  acceptable: z.boolean(),
  why: z.string().nullable().describe('Why it is not acceptable.'),
  pixels: z.int().nullable().describe('How many differ, where the report tells.'),
  insertions: z.int().nullable(),
  deletions: z.int().nullable(),
  difference: z.string().nullable().describe('The beginning of it; null where it is no text.'),
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
