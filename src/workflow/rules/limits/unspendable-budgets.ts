import type { Rule } from '../../rule.ts';
import { asMapping, nameStep } from '../../workflow-view.ts';

export const BUDGET_KEYS = ['token_budget', 'cost_budget_usd'] as const;

/** Warns about budgets of validation steps: validators report no usage, so the budget never applies. */
export const spendlessBudgetsRule: Rule = {
  step: (step, { report }) => {
    if (step.opcode !== 'RUN_VALIDATION') return;
    const own = asMapping(step.fields.limits);
    for (const key of BUDGET_KEYS) {
      if (!Object.hasOwn(own, key)) continue;
      report('WF314', {
        message: `\`${key}\` of ${nameStep(step)} bounds nothing: validators report no spending`,
        at: { path: [...step.path, 'limits', key], part: 'key' },
        help: 'take it out; `timeout` and `max_visits` do bound a validation',
      });
    }
  },
};
