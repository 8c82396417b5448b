import { errorCode } from '../../../diagnostics/codes.ts';
import { asList, asText } from '../../../text/json.ts';
import { defineRule, suggest, valuePlace } from '../../rule.ts';
import { nameStep, resolveTarget } from '../../workflow-view.ts';

/** Checks that `allowed_next_steps` names steps and includes the targets of the routes. */
export const allowedNextStepsRule = defineRule({
  codes: {
    WF207: errorCode('a route leads outside allowed_next_steps'),
    WF208: errorCode('allowed_next_steps names a step that does not exist'),
  },
  step: (step, { view, report }) => {
    if (step.opcode !== 'EVALUATE' || !Array.isArray(step.fields.allowed_next_steps)) return;
    const allowed = new Set<string>();
    for (const [index, entry] of asList(step.fields.allowed_next_steps).entries()) {
      const word = typeof entry === 'number' ? String(entry) : asText(entry);
      if (word === null) continue;
      allowed.add(word);
      const target = resolveTarget(view, word);
      if (target.kind !== 'unknown') continue;
      // Allow the suggestion too, so that a misspelt entry is not also reported as a route outside the list.
      if (target.suggestion !== null) allowed.add(target.suggestion);
      else if (view.nameless) continue;
      report('WF208', {
        message: `\`allowed_next_steps\` of ${nameStep(step)} names \`${word}\`, which is not a step`,
        at: valuePlace(step.path, 'allowed_next_steps', index),
        help: suggest(target.suggestion),
      });
    }
    // The schema check reports an empty list; every route would be outside it.
    if (allowed.size === 0) return;
    for (const route of step.routes) {
      const target = resolveTarget(view, route.target);
      if (target.kind !== 'step' || target.step.opcode === 'STOP' || allowed.has(route.target)) continue;
      report('WF207', {
        message: `${nameStep(step)} routes \`${route.key}\` to \`${route.target}\`, which is not in \`allowed_next_steps\``,
        at: valuePlace(route.path),
        related: [
          { message: 'the allowed steps', at: { path: [...step.path, 'allowed_next_steps'], part: 'key' } },
        ],
        help: `add \`${route.target}\` to \`allowed_next_steps\`, or route to one of its steps`,
      });
    }
  },
});
