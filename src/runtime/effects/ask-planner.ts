import type { LedgerEntry } from '../../contracts/planner/claim-ledger.ts';
import type { PlannerDecision } from '../../contracts/planner/planner-decision.ts';
import type { PlannerInput } from '../../contracts/planner/planner-input.ts';
import type { Judgement } from '../../contracts/planner/planner-trace.ts';
import type { EvaluateStep } from '../../kernel/plan.ts';
import type { Effect } from '../../kernel/protocol.ts';
import { claimLedger } from '../evidence/claim-ledger.ts';
import { assembleEnvelope } from '../evidence/envelope.ts';
import { evaluationInputs } from '../evidence/evaluation-inputs.ts';
import { openEvidence } from '../evidence/evidence.ts';
import { type EffectResult, Interrupted, markOf, type RunContext } from '../run-context.ts';

type PlannerEffect = Extract<Effect, { kind: 'ask_planner' }>;

/** Stores the envelope before the planner judges it, so that every evaluation can be repeated. */
export async function askPlanner(
  context: RunContext,
  effect: PlannerEffect,
  step: EvaluateStep,
): Promise<EffectResult> {
  const { deps, directory } = context;
  const evidence = await openEvidence(directory, effect, deps.clock, deps.project.secrets);
  const envelope = await assembleEnvelope(context, effect, step);
  await evidence.json('planner_input', 'planner_input.json', envelope, { required: true });
  const ledger = await claimLedger(context, envelope);
  await evidence.json('claim_ledger', 'claim_ledger.json', ledger);
  const { decision, trace } = await ask(context, effect, step, { envelope, claims: ledger.claims });
  await evidence.json('planner_decision', 'planner_decision.json', decision, {
    required: true,
    important: true,
  });
  await evidence.json('planner_trace', 'planner_trace.json', trace);
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

/** The planner's input. */
interface Asked {
  readonly envelope: PlannerInput;
  readonly claims: readonly LedgerEntry[];
}

/**
 * A planner that is a model or an agent counts as a runner: its start is recorded before, and its usage right after,
 * because the budget is checked when the step ends.
 */
async function ask(
  context: RunContext,
  effect: PlannerEffect,
  step: EvaluateStep,
  { envelope, claims }: Asked,
): Promise<Judgement> {
  const { planner, clock } = context.deps;
  const { stepId, attempt } = effect;
  if (planner.family === undefined) return planner.judge(envelope, context.signal);
  const mark = markOf(context.directory.runId, stepId, attempt);
  const runner = { family: planner.family, name: planner.name, attempt, mark, snapshot: null };
  await context.record([{ event_type: 'runner_started', step_id: stepId, payload: runner }]);
  const startedAt = clock.now().getTime();
  const judgement = await judgeUnlessStopped(context, step, { envelope, claims }, mark);
  const payload = {
    name: planner.name,
    attempt,
    termination: judgement.trace.verdict === 'refused' ? 'error' : 'completed',
    exit_code: null,
    duration_ms: clock.now().getTime() - startedAt,
    usage: judgement.trace.usage,
  };
  await context.record([{ event_type: 'runner_completed', step_id: stepId, payload }]);
  return judgement;
}

async function judgeUnlessStopped(
  context: RunContext,
  step: EvaluateStep,
  { envelope, claims }: Asked,
  mark: string,
): Promise<Judgement> {
  const { signal, deps } = context;
  try {
    return await deps.planner.judge(envelope, signal, {
      timeoutMs: step.timeoutMs,
      idleTimeoutMs: step.idleTimeoutMs,
      mark,
      inputs: (names) => evaluationInputs(context, names, claims),
    });
  } catch (error) {
    if (signal.aborted) throw new Interrupted();
    throw error;
  }
}

function reasonOf(decision: PlannerDecision): string | null {
  const summaries = decision.blockers.map((blocker) => blocker.summary);
  if (summaries.length === 0) return null;
  const shown = summaries.slice(0, 2).join('; ');
  return summaries.length > 2 ? `${shown}; and ${summaries.length - 2} more` : shown;
}
