import { parseEnvelope } from '../../planner/envelope.ts';
import { refusal } from '../../planner/floor.ts';
import { judge } from '../../planner/judge.ts';
import type { Planner } from '../../ports/planner.ts';

/** The built-in planner: needs no model and no network. Evidence that does not fit blocks the run. */
export function createRulePlanner(): Planner {
  return {
    name: 'rules',
    judge: (input) => {
      const parsed = parseEnvelope(input);
      if (parsed.ok) return Promise.resolve(judge(parsed.envelope));
      const [problem] = parsed.problems;
      const summary = `the evidence can't be judged: ${problem?.path ?? ''} ${problem?.message ?? ''}`.trim();
      return Promise.resolve(refusal({ code: 'invalid_evidence', summary }, input));
    },
  };
}
