import { type PlannerInput, plannerInputSchema } from '../contracts/planner/planner-input.ts';
import { type Problem, toProblems } from './table/problems.ts';

export type ParsedEnvelope =
  | { readonly ok: true; readonly envelope: PlannerInput }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** Validates outside input. An envelope that doesn't match the schema is not evaluated. */
export function parseEnvelope(value: unknown): ParsedEnvelope {
  const parsed = plannerInputSchema.safeParse(value);
  if (parsed.success) return { ok: true, envelope: parsed.data };
  return { ok: false, problems: toProblems(parsed.error) };
}
