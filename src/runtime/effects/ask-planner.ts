import type { PlannerDecision } from '../../contracts/planner-decision.ts';
import type { EvaluateStep } from '../../kernel/plan.ts';
import type { Effect } from '../../kernel/protocol.ts';
import { assembleEnvelope } from '../envelope.ts';
import { openEvidence } from '../evidence.ts';
import type { EffectResult, RunContext } from '../run-context.ts';

type PlannerEffect = Extract<Effect, { kind: 'ask_planner' }>;

/** The envelope is stored before it is judged, so that every judgement can be repeated. */
export async function askPlanner(
  context: RunContext,
  effect: PlannerEffect,
  step: EvaluateStep,
): Promise<EffectResult> {
  const { deps, directory } = context;
  const evidence = await openEvidence(directory, effect, deps.clock, deps.project.secrets);
  const envelope = await assembleEnvelope(context, effect, step);
  await evidence.json('planner_input', 'planner_input.json', envelope, { required: true });
  const decision = await deps.planner.judge(envelope, context.signal);
  await evidence.json('planner_decision', 'planner_decision.json', decision, {
    required: true,
    important: true,
  });
  const reason = reasonOf(decision);
  const records = await evidence.close(decision.status, reason ?? 'nothing stands in the way');
  return {
    records,
    input: {
      kind: 'judged',
      decision: {
        status: decision.status,
        nextStep: decision.next_step,
        riskFlags: decision.risk_flags,
        blockerCodes: decision.blockers.map((blocker) => blocker.code),
        reason,
        planner: deps.planner.name,
      },
    },
  };
}

function reasonOf(decision: PlannerDecision): string | null {
  const summaries = decision.blockers.map((blocker) => blocker.summary);
  if (summaries.length === 0) return null;
  const shown = summaries.slice(0, 2).join('; ');
  return summaries.length > 2 ? `${shown}; and ${summaries.length - 2} more` : shown;
}
