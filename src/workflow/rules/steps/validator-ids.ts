import { errorCode } from '../../../diagnostics/codes.ts';
import { asList, asObject, asText } from '../../../text/json.ts';
import { defineRule, type Place, valuePlace } from '../../rule.ts';
import { nameStep } from '../../workflow-view.ts';

/** Exit codes and evidence are stored by validator id, so ids must be unique within a step. */
export const validatorIdsRule = defineRule({
  codes: { WF105: errorCode('a validator is listed twice in one step') },
  step: (step, { report }) => {
    if (step.opcode !== 'RUN_VALIDATION') return;
    const first = new Map<string, Place>();
    for (const [index, entry] of asList(step.fields.run).entries()) {
      const id = asText(entry) ?? asText(asObject(entry).id);
      if (id === null) continue;
      const more = typeof entry === 'string' ? [] : ['id'];
      const at = valuePlace(step.path, 'run', index, ...more);
      const earlier = first.get(id);
      if (earlier === undefined) {
        first.set(id, at);
        continue;
      }
      report('WF105', {
        message: `the validator \`${id}\` is listed twice in ${nameStep(step)}`,
        at,
        related: [{ message: 'first listed here', at: earlier }],
      });
    }
  },
});
