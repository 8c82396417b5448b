import * as z from 'zod';

/** A document that a verb prints with `--json`. */
export function printed<const Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  return z.looseObject({
    schema_version: z.literal(1).describe('Raised when a key changes its meaning.'),
    ...shape,
  });
}
