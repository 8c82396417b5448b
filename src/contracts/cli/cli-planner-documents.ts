import * as z from 'zod';
import { plannerDecisionSchema } from '../planner/planner-decision.ts';
import { PLANNER_STATUSES } from '../vocabulary.ts';
import { printed } from './printed-document.ts';

export const evaluatedDocument = printed({
  ...plannerDecisionSchema.shape,
  x_trace: z.looseObject({
    floor: plannerDecisionSchema.describe('What the rules say.'),
    proposal: z.unknown().describe('What a model said, as it came; null for the rules.'),
  }),
});

const vectorsJudged = printed({
  ok: z.boolean(),
  planner: z.string(),
  passed: z.int().nonnegative(),
  failed: z.int().nonnegative(),
  vectors: z.array(
    z.looseObject({
      vector_id: z.string(),
      path: z.string(),
      ok: z.boolean(),
      expected: z.enum(PLANNER_STATUSES),
      actual: z.enum(PLANNER_STATUSES),
      drift: z.array(z.looseObject({ field: z.string(), expected: z.string(), actual: z.string() })),
    }),
  ),
});

export const vectorsDocument = z.union([
  vectorsJudged,
  printed({ vector_id: z.string(), path: z.string(), status: z.enum(PLANNER_STATUSES) }).describe(
    'With `record`.',
  ),
]);
