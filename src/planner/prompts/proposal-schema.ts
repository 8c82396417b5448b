import * as z from 'zod';
import { plannerDecisionSchema } from '../../contracts/planner/planner-decision.ts';

export type ProposalSchema = Readonly<Record<string, unknown>>;

/**
 * The JSON Schema for a model's reply: a decision whose next step is one of the allowed ones. The reply is
 * validated again on arrival, because not every model keeps to the schema.
 */
export function createProposalSchema(allowedNextSteps: readonly string[]): ProposalSchema {
  const [first, ...others] = allowedNextSteps;
  const nextStep = first === undefined ? z.null() : z.enum([first, ...others]).nullable();
  const schema = plannerDecisionSchema.extend({
    next_step: nextStep.describe('Where to go next: one of the allowed steps, or null.'),
  });
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { target: 'draft-7' });
  return rest;
}
