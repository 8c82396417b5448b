import { parseDuration } from '../../../contracts/duration.ts';
import { warningCode } from '../../../diagnostics/codes.ts';
import { defineRule, valuePlace } from '../../rule.ts';
import { asMapping, nameStep } from '../../workflow-view.ts';
import { BUDGET_KEYS } from './unspendable-budgets.ts';

const PROCESS_KEYS = ['timeout', 'idle_timeout', 'max_visits'] as const;
const KEYS = [...PROCESS_KEYS, ...BUDGET_KEYS] as const;

/** Step limits can only tighten workflow limits. Warns about a looser one, because it has no effect. */
export const stepLimitsRule = defineRule({
  codes: { WF309: warningCode('a step limit is looser than the limit of the workflow') },
  step: (step, { view, report }) => {
    if (step.fields.limits === undefined) return;
    const own = asMapping(step.fields.limits);
    const shared = asMapping(view.defaults.limits);
    // unspendableBudgetsRule reports budgets of validation steps.
    const keys = step.opcode === 'RUN_VALIDATION' ? PROCESS_KEYS : KEYS;
    for (const key of keys) {
      const [value, bound] = [measure(key, own[key]), measure(key, shared[key])];
      if (value === null || bound === null || value <= bound) continue;
      report('WF309', {
        message: `\`${key}\` of ${nameStep(step)} is ${String(own[key])}, but the workflow allows only ${String(shared[key])}`,
        at: valuePlace(step.path, 'limits', key),
        related: [{ message: 'the limit that applies', at: valuePlace(['defaults', 'limits', key]) }],
      });
    }
  },
});

function measure(key: (typeof KEYS)[number], value: unknown): number | null {
  if (key === 'timeout' || key === 'idle_timeout') return parseDuration(value);
  return typeof value === 'number' && value > 0 ? value : null;
}
