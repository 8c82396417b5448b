import { addCost } from '../../../agents/prices.ts';
import type { Price } from '../../../contracts/config/config.ts';
import type { Usage } from '../../../contracts/run/agent-result.ts';
import { type BudgetProblem, findBudgetProblem } from '../../../kernel/budgets.ts';
import { addStepUsage } from '../../../kernel/evolve.ts';
import type { AgentStep } from '../../../kernel/plan.ts';
import type { RunContext } from '../../run-context.ts';

/** Watches the usage of one agent start and stops it when it exceeds a budget. */
export interface BudgetWatch {
  readonly signal: AbortSignal;
  readonly onUsage: (usage: Usage) => void;
  /** Call when the start has ended; completes pending writes. */
  readonly close: () => Promise<{
    /** The usage that the agent last reported while it worked, with costs if a price is configured. */
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
    onUsage: (reported) => {
      if (overspent !== null) return;
      usage = addCost(reported, price);
      // The totals contain earlier starts and steps, also from before a resume, but not this start.
      const spent = addStepUsage(context.view().state, step.id, usage);
      overspent = findBudgetProblem(context.plan, spent, step.id);
      if (overspent === null) return;
      const note = `agent "${step.agent}" of step "${step.id}" is being stopped: ${overspent.message}`;
      stopping = context
        .record([{ event_type: 'status_updated', step_id: step.id, payload: { note } }])
        .finally(abort);
      // `close` rethrows the error if the note could not be written.
      stopping.catch(() => {});
    },
    close: async () => {
      context.signal.removeEventListener('abort', abort);
      await stopping;
      return { usage, overspent };
    },
  };
}
