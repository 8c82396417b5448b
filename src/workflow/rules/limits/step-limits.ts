import { BUDGET_KEYS } from '../../../contracts/documents/workflow-document.ts';
import { parseDuration } from '../../../contracts/duration.ts';
import { warningCode } from '../../../diagnostics/codes.ts';
import { asObject } from '../../../text/json.ts';
import { defineRule, valuePlace } from '../../rule.ts';
import { nameStep } from '../../workflow-view.ts';

const NON_BUDGET_KEYS = ['timeout', 'idle_timeout', 'max_visits'] as const;
const LIMIT_KEYS = [...NON_BUDGET_KEYS, ...BUDGET_KEYS] as const;

/** Warns about a step limit that is looser than the one in `defaults`: it has no effect, because the stricter applies. */
export const stepLimitsRule = defineRule({
  codes: { WF309: warningCode('a step limit is looser than the limit of the workflow') },
  step: (step, { view, report }) => {
    if (step.fields.limits === undefined) return;
    const own = asObject(step.fields.limits);
    const shared = asObject(view.defaults.limits);
    // unspendableBudgetsRule reports budgets of validation steps.
    const keys = step.opcode === 'RUN_VALIDATION' ? NON_BUDGET_KEYS : LIMIT_KEYS;
    for (const key of keys) {
      const [value, bound] = [measure(key, own[key]), measure(key, shared[key])];
      if (value === null || bound === null || value <= bound) continue;
      report('WF309', {
        message: `\`${key}\` of ${nameStep(step)} is ${String(own[key])}, but the workflow allows only ${String(shared[key])}`,
        at: valuePlace(step.path, 'limits', key),
        help: `lower it to at most ${String(shared[key])}, or raise \`defaults.limits.${key}\``,
        related: [{ message: 'the limit that applies', at: valuePlace(['defaults', 'limits', key]) }],
      });
    }
  },
});

function measure(key: (typeof LIMIT_KEYS)[number], value: unknown): number | null {
  if (key === 'timeout' || key === 'idle_timeout') return parseDuration(value);
  return typeof value === 'number' && value > 0 ? value : null;
}
