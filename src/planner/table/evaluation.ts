import type { PlannerInput } from '../../contracts/planner/planner-input.ts';
import type { Judgement } from '../../contracts/planner/planner-trace.ts';
import { parseEnvelope } from '../envelope.ts';
import { evaluateWithRows } from './evaluate.ts';
import { refusal } from './floor.ts';

/** Evaluates an envelope by the rules alone. Evidence that doesn't match the schema blocks. */
export function judgeByRules(input: PlannerInput): Judgement {
  const parsed = parseEnvelope(input);
  if (parsed.ok) {
    const { decision, rows } = evaluateWithRows(parsed.envelope);
    return byRules(
      decision,
      rows.map((row) => row.id),
    );
  }
  const [problem] = parsed.problems;
  const summary = `the evidence can't be evaluated: ${problem?.path ?? ''} ${problem?.message ?? ''}`.trim();
  return byRules(refusal({ code: 'invalid_evidence', summary }, input), []);
}

function byRules(decision: Judgement['decision'], rows: string[]): Judgement {
  return {
    decision,
    trace: { floor: decision, proposal: null, verdict: 'rules', rows, usage: null, attempts: 0 },
  };
}
