import { ownValue } from '../contracts/own-value.ts';
import type { Budgets, Plan } from './plan.ts';
import { NO_USAGE, type RunState, type UsageTally } from './state.ts';

export interface BudgetProblem {
  readonly subject: string;
  readonly message: string;
}

/** The first budget that the reported usage exceeds, or null. Unreported usage counts as zero. */
export function findBudgetProblem(plan: Plan, state: RunState, stepId: string): BudgetProblem | null {
  const overRun = findOverspend('the run', plan.budgets, state.usage);
  if (overRun !== null) return overRun;
  const step = ownValue(plan.stepsById, stepId);
  if (step?.opcode !== 'RUN_AGENT' && step?.opcode !== 'EVALUATE') return null;
  return findOverspend(`step "${stepId}"`, step.budgets, ownValue(state.usageByStep, stepId) ?? NO_USAGE);
}

function findOverspend(scope: string, budgets: Budgets, usage: UsageTally): BudgetProblem | null {
  const tokens = (usage.inputTokens ?? 0) + (usage.outputTokens ?? 0);
  if (budgets.tokens !== null && tokens > budgets.tokens)
    return { subject: 'token_budget', message: `${scope} used ${tokens} tokens of ${budgets.tokens}` };
  const cost = usage.costUsd ?? 0;
  if (budgets.costUsd !== null && cost > budgets.costUsd)
    return { subject: 'cost_budget_usd', message: `${scope} cost ${cost} USD of ${budgets.costUsd}` };
  return null;
}
