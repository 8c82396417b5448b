import * as z from 'zod';

/** The kinds of repository settings that can make conductor execute code or expose data. */
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
  'publish',
  'telemetry',
  'environment',
  'entrypoint',
  'policy',
  'sandbox',
  'paths',
] as const;
export type PartKind = (typeof PART_KINDS)[number];

/** A part that the user trusts: one line in the trust file of a repository. */
export const trustedPartSchema = z.object({
  repository: z.string(),
  kind: z.enum(PART_KINDS),
  name: z.string(),
  text: z.string(),
  digest: z.string(),
  trusted_at: z.string(),
});
export type TrustedPart = z.infer<typeof trustedPartSchema>;
