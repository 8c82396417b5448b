import * as z from 'zod';
import { plannerDecisionSchema } from '../planner/planner-decision.ts';
import { PLANNER_STATUSES } from '../vocabulary.ts';
import { printed } from './printed-document.ts';

export const evaluatedDocument = printed({
  ...plannerDecisionSchema.shape,
  x_trace: z.looseObject({
    floor: plannerDecisionSchema.describe('The decision of the rules.'),
    proposal: z.unknown().describe('The proposal of a model or agent, unchanged; null for the rules.'),
  }),
});

const vectorsChecked = printed({
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
  vectorsChecked,
  printed({ vector_id: z.string(), path: z.string(), status: z.enum(PLANNER_STATUSES) }).describe(
    'With `record`.',
  ),
]);
