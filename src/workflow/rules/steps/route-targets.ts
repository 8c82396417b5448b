import { errorCode } from '../../../diagnostics/codes.ts';
import { defineRule, suggest, valuePlace } from '../../rule.ts';
import { nameStep, resolveTarget } from '../../workflow-view.ts';

export const routeTargetsRule = defineRule({
  codes: { WF202: errorCode('a route leads to a step that does not exist') },
  step: (step, { view, report }) => {
    if (step.opcode === 'STOP') return;
    for (const route of step.routes) {
      const target = resolveTarget(view, route.target);
      if (target.kind !== 'unknown' || (view.nameless && target.suggestion === null)) continue;
      report('WF202', {
        message: `${nameStep(step)} routes \`${route.key}\` to \`${route.target}\`, which is not a step`,
        at: valuePlace(route.path),
        help: suggest(target.suggestion),
      });
    }
  },
});
