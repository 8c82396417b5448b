import { PROMPT_REF_PATTERN } from '../../../contracts/forms.ts';
import { errorCode } from '../../../diagnostics/codes.ts';
import { asText } from '../../../text/json.ts';
import { defineRule, valuePlace } from '../../rule.ts';
import { nameStep } from '../../workflow-view.ts';

export type PromptForm = 'inline' | 'reference' | 'malformed';

/** A text with white space is inline; any other text must be a reference. */
export function promptForm(prompt: string): PromptForm {
  if (/\s/.test(prompt)) return 'inline';
  return PROMPT_REF_PATTERN.test(prompt) ? 'reference' : 'malformed';
}

export const promptFormsRule = defineRule({
  codes: {
    WF301: errorCode('a prompt is neither a reference nor inline text'),
    WF302: errorCode('an EVALUATE step has an inline prompt'),
  },
  step: (step, { report }) => {
    if (step.opcode !== 'RUN_AGENT' && step.opcode !== 'EVALUATE') return;
    const prompt = asText(step.fields.prompt);
    if (prompt === null || prompt.trim() === '') return;
    const at = valuePlace(step.path, 'prompt');
    switch (promptForm(prompt)) {
      case 'reference':
        return;
      case 'malformed':
        report('WF301', {
          message: `the prompt \`${prompt}\` is neither a reference nor inline text, which contains white space`,
          at,
          help: 'write `name.v<N>`, such as `task.fix.v1`, or the text of the prompt itself',
        });
        return;
      case 'inline':
        if (step.opcode !== 'EVALUATE') return;
        report('WF302', {
          message: `${nameStep(step)} has an inline prompt, which only RUN_AGENT steps may have`,
          at,
          help: 'refer to a planner prompt, such as `planner.evaluate_harness_report.v1`',
        });
    }
  },
});
