import { warningCode } from '../../../diagnostics/codes.ts';
import { defineRule, valuePlace } from '../../rule.ts';
import { nameStep } from '../../workflow-view.ts';

/** Reports gate routes that no run can take although their keys are valid. */
export const deadRoutesRule = defineRule({
  codes: { WF209: warningCode('a route of a gate can never be taken') },
  step: (step, { report }) => {
    if (step.opcode !== 'GATE') return;
    const timed = step.routes.find((route) => route.key === 'gate_timed_out');
    const fallback = step.routes.find((route) => route.key === 'killed_timeout');
    const route = timed ?? fallback;
    if (route === undefined) return;
    if (!Object.hasOwn(step.fields, 'timeout')) {
      report('WF209', {
        message: `${nameStep(step)} has no timeout, so its route for \`${route.key}\` is never taken`,
        at: { path: route.path, part: 'key' },
        help: 'add a `timeout`, or remove the route',
      });
      return;
    }
    if (timed === undefined || fallback === undefined) return;
    report('WF209', {
      message: `${nameStep(step)} has a route for \`gate_timed_out\`, so the one for \`killed_timeout\` is never taken`,
      at: { path: fallback.path, part: 'key' },
      related: [{ message: 'the route that is taken', at: valuePlace(timed.path) }],
      help: 'remove `killed_timeout`',
    });
  },
});
