import * as z from 'zod';
import { plannerDecisionSchema } from '../contracts/planner-decision.ts';

export type ProposalSchema = Readonly<Record<string, unknown>>;

/**
 * The JSON Schema that a model is held to: a decision whose next step is one of those that are allowed. It is checked
 * again when it is there, since not everybody who takes a schema keeps to it.
 */
export function proposalSchema(allowedNextSteps: readonly string[]): ProposalSchema {
  const [first, ...others] = allowedNextSteps;
  const nextStep = first === undefined ? z.null() : z.enum([first, ...others]).nullable();
  const schema = plannerDecisionSchema.extend({
    next_step: nextStep.describe('Where to go next: one of the allowed steps, or null.'),
  });
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { target: 'draft-7' });
  return rest;
}
