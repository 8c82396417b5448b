import { BUDGET_KEYS } from '../../../contracts/documents/workflow-document.ts';
import { warningCode } from '../../../diagnostics/codes.ts';
import { asObject } from '../../../text/json.ts';
import { defineRule } from '../../rule.ts';
import { nameStep } from '../../workflow-view.ts';

/** Warns about budgets of validation steps: validators report no usage, so the budget never applies. */
export const unspendableBudgetsRule = defineRule({
  codes: { WF314: warningCode('a budget is set on a step that spends nothing') },
  step: (step, { report }) => {
    if (step.opcode !== 'RUN_VALIDATION') return;
    const own = asObject(step.fields.limits);
    for (const key of BUDGET_KEYS) {
      if (!Object.hasOwn(own, key)) continue;
      report('WF314', {
        message: `\`${key}\` of ${nameStep(step)} has no effect: validators report no usage`,
        at: { path: [...step.path, 'limits', key], part: 'key' },
        help: 'remove it; `timeout` and `max_visits` do limit a validation',
      });
    }
  },
});
