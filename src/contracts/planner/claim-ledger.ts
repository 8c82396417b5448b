import * as z from 'zod';

/** Where claims come from: the result file, the closing block that prompts ask for, or statements in prose. */
export const CLAIM_SOURCES = ['result_file', 'tail', 'phrase'] as const;
export type ClaimSource = (typeof CLAIM_SOURCES)[number];

export const ledgerEntrySchema = z.object({
  claim: z.string().describe('The claim: implemented, fixed, tests_pass or `created PATH`.'),
  source: z.enum(CLAIM_SOURCES).describe('Where the claim was found.'),
  holds: z.boolean().nullable().describe('True if confirmed, false if contradicted, null if unverified.'),
  evidence: z.string().describe('The evidence that it was checked against.'),
  step_id: z.string().optional().describe('The agent step that made the claim, if not the last one.'),
});
export type LedgerEntry = Readonly<z.infer<typeof ledgerEntrySchema>>;

export const ledgerSchema = z.object({
  step_id: z.string().nullable().describe('The last agent step; claims without a step are from it.'),
  claims: z.array(ledgerEntrySchema),
});
