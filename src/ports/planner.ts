import type { PlannerDecision } from '../contracts/planner-decision.ts';
import type { PlannerInput } from '../contracts/planner-input.ts';

/** Judges evidence. The answer always fits its schema; what went wrong on the way is a blocker in it. */
export interface Planner {
  /** Shown in events: `rules`, `model:…`. */
  readonly name: string;
  readonly judge: (input: PlannerInput, signal: AbortSignal) => Promise<PlannerDecision>;
}
