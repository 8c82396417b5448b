import * as z from 'zod';

/** A document that a command prints with `--json`. */
export function printed<const Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  return z.looseObject({
    schema_version: z.literal(1).describe('Incremented if a key changes its meaning.'),
    ...shape,
  });
}

/** A changed file, as several documents print it. */
export const printedChange = z.looseObject({
  path: z.string(),
  status: z.enum(['A', 'M', 'D', 'R']),
  insertions: z.int().nullable().describe('Null for a binary file.'),
  deletions: z.int().nullable(),
});
