import { evaluateByRules } from '../../planner/table/evaluation.ts';
import type { Planner } from '../../ports/planner.ts';

/** The built-in planner: needs no model and no network. */
export function createRulePlanner(): Planner {
  return { name: 'rules', evaluate: (input) => Promise.resolve(evaluateByRules(input)) };
}
