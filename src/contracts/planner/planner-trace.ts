import * as z from 'zod';
import { usageSchema } from '../run/agent-result.ts';
import { type PlannerDecision, plannerDecisionSchema } from './planner-decision.ts';

const TRACE_VERDICTS = [
  /** No model or agent was asked. */
  'rules',
  /** The proposal is at least as severe as the floor, so its status applies. */
  'taken',
  /** The proposal is less severe than the floor, so the status of the floor applies. */
  'raised_to_floor',
  /** There is no usable proposal: the status is `blocked`, or that of the floor if it is more severe. */
  'refused',
] as const;

/** How a decision was made. Stored beside it, to show whether the rules, a model or an agent decided. */
export const plannerTraceSchema = z.strictObject({
  floor: plannerDecisionSchema.describe('What the rules alone decide on the same evidence.'),
  proposal: z.unknown().describe('The proposal of the model or agent, unchanged; null if none was asked.'),
  verdict: z
    .enum(TRACE_VERDICTS)
    .describe('`rules` if no model or agent was asked; otherwise what happened to its proposal.'),
  rows: z.array(z.string()).describe('Ids of the decision-table rows that matched, most severe first.'),
  usage: usageSchema.nullable().describe('Usage of the model or agent; null if unknown or none.'),
  attempts: z.int().nonnegative().describe('How often the model or agent was asked.'),
});
export type PlannerTrace = z.infer<typeof plannerTraceSchema>;

/** A decision and how it was made. */
export interface Evaluation {
  readonly decision: PlannerDecision;
  readonly trace: PlannerTrace;
}
