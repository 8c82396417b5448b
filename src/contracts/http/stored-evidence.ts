import * as z from 'zod';

/** The parts of a step's stored evidence that the page reads. Loose, because earlier versions may have written less. */

export const storedValidationSchema = z.looseObject({
  validators: z.array(
    z.looseObject({
      id: z.string(),
      duration_ms: z.number().nullish(),
      reason: z.string().nullish(),
      attempts: z.int().optional(),
      flaky: z.boolean().optional(),
    }),
  ),
});

export const storedNotesSchema = z.looseObject({ notes: z.array(z.string()) });

export const storedPolicySchema = z.looseObject({
  notes: z.array(z.string()).optional(),
  violations: z
    .array(z.looseObject({ class: z.string(), subject: z.string(), message: z.string() }))
    .optional(),
});

export const storedChangeSchema = z.looseObject({
  files: z.array(
    z.looseObject({
      path: z.string(),
      insertions: z.number().nullable(),
      deletions: z.number().nullable(),
    }),
  ),
});
