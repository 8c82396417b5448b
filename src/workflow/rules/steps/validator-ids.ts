import { type Place, type Rule, valuePlace } from '../../rule.ts';
import { asList, asMapping, asText, nameStep } from '../../workflow-view.ts';

/** Exit codes and evidence are stored by validator id, so ids must be unique within a step. */
export const validatorIdsRule: Rule = {
  step: (step, { report }) => {
    if (step.opcode !== 'RUN_VALIDATION') return;
    const first = new Map<string, Place>();
    for (const [index, entry] of asList(step.fields.run).entries()) {
      const id = asText(entry) ?? asText(asMapping(entry).id);
      if (id === null) continue;
      const more = typeof entry === 'string' ? [] : ['id'];
      const at = valuePlace(step.path, 'run', index, ...more);
      const earlier = first.get(id);
      if (earlier === undefined) {
        first.set(id, at);
        continue;
      }
      report('WF105', {
        message: `the validator \`${id}\` stands twice in ${nameStep(step)}`,
        at,
        related: [{ message: 'first named here', at: earlier }],
      });
    }
  },
};
