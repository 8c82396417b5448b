import type { PlannerInput } from '../../../src/contracts/planner/planner-input.ts';
import type { PlannerStatus } from '../../../src/contracts/vocabulary.ts';

/** One situation and all that the table says about it. */
export interface DecisionCase {
  readonly name: string;
  readonly input: PlannerInput;
  readonly rows: readonly string[];
  readonly status: PlannerStatus;
  readonly flags: readonly string[];
  /** Code and severity, in order. */
  readonly blockers: readonly string[];
}
