import { priced } from '../../agents/prices.ts';
import type { Usage } from '../../contracts/agent-result.ts';
import type { Price } from '../../contracts/config.ts';
import { type BudgetProblem, budgetProblem } from '../../kernel/budgets.ts';
import { spend } from '../../kernel/evolve.ts';
import type { AgentStep } from '../../kernel/plan.ts';
import type { RunContext } from '../run-context.ts';

/** One start of an agent under its budgets: told of use, it stops the start that goes past one. */
export interface BudgetWatch {
  readonly signal: AbortSignal;
  readonly onUsage: (usage: Usage) => void;
  /** Comes when the start has ended; nothing of the watch is under way afterwards. */
  readonly close: () => Promise<{
    /** What the agent said last while it worked, with its cost where a price gives one. */
    readonly usage: Usage | null;
    readonly overspent: BudgetProblem | null;
  }>;
}

export function watchBudget(context: RunContext, step: AgentStep, price: Price | null): BudgetWatch {
  const controller = new AbortController();
  const abort = () => controller.abort();
  if (context.signal.aborted) abort();
  else context.signal.addEventListener('abort', abort, { once: true });
  let usage: Usage | null = null;
  let overspent: BudgetProblem | null = null;
  let stopping: Promise<void> = Promise.resolve();
  return {
    signal: controller.signal,
    onUsage: (told) => {
      if (overspent !== null) return;
      usage = priced(told, price);
      // The totals hold what earlier starts and steps used, before any resume too; this start is not in them yet.
      const spent = spend(context.view().state, step.id, usage);
      overspent = budgetProblem(context.plan, spent, step.id);
      if (overspent === null) return;
      const note = `agent "${step.agent}" of step "${step.id}" is being ended: ${overspent.message}`;
      stopping = context
        .record([{ event_type: 'status_updated', step_id: step.id, payload: { note } }])
        .finally(abort);
      // Whoever closes the watch hears of a record that could not be written.
      stopping.catch(() => {});
    },
    close: async () => {
      context.signal.removeEventListener('abort', abort);
      await stopping;
      return { usage, overspent };
    },
  };
}
