import * as z from 'zod';

/** Where claims come from: the result file, the closing block that prompts ask for, or statements in prose. */
export const CLAIM_SOURCES = ['result_file', 'tail', 'phrase'] as const;
export type ClaimSource = (typeof CLAIM_SOURCES)[number];

export const ledgerEntrySchema = z.object({
  claim: z.string().describe('What the agent says: implemented, fixed, tests_pass or `created PATH`.'),
  source: z.enum(CLAIM_SOURCES).describe('Where it was read.'),
  holds: z.boolean().nullable().describe('Null where nothing in the evidence can tell.'),
  evidence: z.string().describe('What it was held against.'),
  step_id: z.string().optional().describe('The agent step that says so, where it is not the last one.'),
});
export type LedgerEntry = Readonly<z.infer<typeof ledgerEntrySchema>>;

export const ledgerSchema = z.object({
  step_id: z.string().nullable().describe('The last agent step; claims without a step are its own.'),
  claims: z.array(ledgerEntrySchema),
});
