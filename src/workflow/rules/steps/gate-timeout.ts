import { errorCode } from '../../../diagnostics/codes.ts';
import { asObject } from '../../../text/json.ts';
import { defineRule } from '../../rule.ts';
import { nameStep } from '../../workflow-view.ts';

export const gateTimeoutRule = defineRule({
  codes: { WF204: errorCode('a gate with a timeout has no route for it') },
  step: (step, { report }) => {
    if (step.opcode !== 'GATE' || !Object.hasOwn(step.fields, 'timeout')) return;
    const routes = asObject(step.fields.routes);
    // The schema check reports missing `routes`.
    if (!Object.hasOwn(step.fields, 'routes')) return;
    if (Object.hasOwn(routes, 'gate_timed_out') || Object.hasOwn(routes, 'killed_timeout')) return;
    report('WF204', {
      message: `${nameStep(step)} has a timeout, but no route for \`gate_timed_out\``,
      at: { path: [...step.path, 'routes'], part: 'key' },
      related: [{ message: 'the timeout', at: { path: [...step.path, 'timeout'], part: 'key' } }],
      help: 'add `gate_timed_out` to the routes, or remove the timeout',
    });
  },
});
