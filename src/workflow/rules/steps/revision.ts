import { errorCode, warningCode } from '../../../diagnostics/codes.ts';
import { asObject, asText } from '../../../text/json.ts';
import { defineRule, valuePlace } from '../../rule.ts';
import { nameStep, resolveTarget } from '../../workflow-view.ts';

export const revisionRule = defineRule({
  codes: {
    WF310: errorCode('the revision step is not the target of partial'),
    WF311: warningCode('more than one revision is allowed'),
  },
  step: (step, { view, report }) => {
    if (step.opcode !== 'EVALUATE') return;
    const revision = asObject(step.fields.revision);
    const refining = asText(revision.step);
    const partial = step.routes.find((route) => route.key === 'partial');
    // routeTargetsRule reports a `partial` with an unknown target; nothing to compare with in that case.
    const known = partial !== undefined && resolveTarget(view, partial.target).kind !== 'unknown';
    if (refining !== null && known && (refining !== partial.target || !view.stepsById.has(refining))) {
      report('WF310', {
        message:
          refining === partial.target
            ? `\`revision.step\` of ${nameStep(step)} is \`${refining}\`, which is not a step that can revise the work`
            : `\`revision.step\` of ${nameStep(step)} is \`${refining}\`, but \`partial\` leads to \`${partial.target}\``,
        at: valuePlace(step.path, 'revision', 'step'),
        related: [{ message: 'the target of `partial`', at: valuePlace(partial.path) }],
        help: 'name the step that `partial` leads to',
      });
    }
    const attempts = revision.max_attempts;
    if (typeof attempts === 'number' && attempts > 1 && attempts <= 3 && Number.isInteger(attempts)) {
      report('WF311', {
        message: `${nameStep(step)} allows ${attempts} revisions`,
        at: valuePlace(step.path, 'revision', 'max_attempts'),
        notes: ['one revision is usual: what it did not fix mostly needs a person'],
      });
    }
  },
});
