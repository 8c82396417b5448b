import { NAME_PATTERN } from '../../../contracts/forms.ts';
import { errorCode } from '../../../diagnostics/codes.ts';
import { didYouMean } from '../../../diagnostics/did-you-mean.ts';
import { asList, asObject, asText } from '../../../text/json.ts';
import { defineRule, suggest, valuePlace } from '../../rule.ts';

const BUILTIN_VALIDATORS = ['tests', 'lint', 'typecheck'] as const;

export const knownValidatorsRule = defineRule({
  codes: { WF502: errorCode('a validator is unknown') },
  step: (step, { names, report }) => {
    if (names === null || step.opcode !== 'RUN_VALIDATION') return;
    const known = [...names.validators, ...BUILTIN_VALIDATORS];
    for (const [index, entry] of asList(step.fields.run).entries()) {
      const fields = asObject(entry);
      const inline = fields.kind === 'builtin' ? asText(fields.id) : null;
      const name = asText(entry) ?? inline;
      // The schema check reports a malformed name.
      if (name === null || !NAME_PATTERN.test(name) || known.includes(name)) continue;
      report('WF502', {
        message: `the validator \`${name}\` is not configured`,
        at: valuePlace(step.path, 'run', index, ...(inline === null ? [] : ['id'])),
        help: () => suggest(didYouMean(name, known)) ?? 'add it to `validators` in the configuration',
      });
    }
  },
});
