import * as z from 'zod';
import { PLANNER_STATUSES } from '../vocabulary.ts';

const pathSteps = z.array(z.looseObject({ step_id: z.string(), key: z.string() }));
const pathProof = {
  holds: z.boolean(),
  path: pathSteps.nullable().describe('The shortest counterexample.'),
  end: z.string().nullable(),
  judged: z.looseObject({ path: pathSteps, end: z.string() }).nullable(),
};

/** The output of `validate --prove` for one workflow. */
export const proofsDocument = z.looseObject({
  holds: z.boolean(),
  validated: z.looseObject(pathProof),
  goldens: z.looseObject({ ...pathProof, proposing: z.array(z.string()) }),
  loops: z.array(
    z.looseObject({ steps: z.array(z.looseObject({ step_id: z.string(), max_entries: z.int() })) }),
  ),
  worst_case: z.looseObject({
    agent_runs: z.int(),
    planner_calls: z.int(),
    wall_ms: z.number().nullable().describe('Null means unbounded, here and below.'),
    work_ms: z.number(),
    open_gates: z.array(z.string()),
    tokens: z.number().nullable(),
    cost_usd: z.number().nullable(),
  }),
  ending_statuses: z.array(z.looseObject({ step_id: z.string(), status: z.enum(PLANNER_STATUSES) })),
  dead_routes: z.array(z.looseObject({ step_id: z.string(), key: z.string() })),
  exceeded: z.array(
    z.looseObject({
      what: z.string(),
      cap: z.number(),
      worst_case: z.number().nullable(),
      message: z.string(),
    }),
  ),
});
