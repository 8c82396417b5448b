import * as z from 'zod';

/** What a repository's files can make conductor execute, or hand out. */
export const PART_KINDS = [
  'agent',
  'agent settings',
  'validator',
  'setup',
  'workflow',
  'work items',
  'suite',
  'planner',
  'notify',
  'environment',
  'entrypoint',
  'policy',
  'sandbox',
  'paths',
] as const;
export type PartKind = (typeof PART_KINDS)[number];

/** A part as the user said yes to it: one line of the trust file of a repository. */
export const trustedPartSchema = z.object({
  repository: z.string(),
  kind: z.enum(PART_KINDS),
  name: z.string(),
  text: z.string(),
  digest: z.string(),
  trusted_at: z.string(),
});
export type TrustedPart = z.infer<typeof trustedPartSchema>;
