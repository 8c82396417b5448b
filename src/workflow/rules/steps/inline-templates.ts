import { warningCode } from '../../../diagnostics/codes.ts';
import { didYouMean } from '../../../diagnostics/did-you-mean.ts';
import { asList, asText } from '../../../text/json.ts';
import { findTemplateProblems, hasTemplate, RAW_BRACES } from '../../document/prompt-template.ts';
import { defineRule, type Place, type RuleContext, suggest, valuePlace } from '../../rule.ts';
import { RUNTIME_INPUTS } from '../../runtime-inputs.ts';
import type { WorkflowStepView } from '../../workflow-view.ts';
import { promptForm } from './prompt-forms.ts';
import { INPUT_CODES, passInput } from './prompt-inputs.ts';
import { findSubstitutions } from './substitutions.ts';

/** Inline prompts are templates like prompt files; `inputs` of the step takes the place of declared inputs. */
export const inlineTemplatesRule = defineRule({
  codes: { ...INPUT_CODES, WF315: warningCode('a substitution in a prompt is plain text') },
  step: (step, context) => {
    const prompt = step.opcode === 'RUN_AGENT' ? asText(step.fields.prompt) : null;
    if (prompt === null || promptForm(prompt) !== 'inline') return;
    checkSubstitutions(step, prompt, context);
    if (hasTemplate(prompt)) checkTemplate(step, prompt, context);
  },
});

function checkTemplate(
  step: WorkflowStepView,
  prompt: string,
  { inputs, readTemplate, report, isFull }: RuleContext<'WF508' | 'WF509'>,
): void {
  if (readTemplate === null || isFull('WF509')) return;
  const reading = readTemplate(prompt);
  const listed = asList(step.fields.inputs).flatMap((entry) => asText(entry) ?? []);
  const given = [...listed, ...(inputs ?? [])];
  for (const { message, name, offset } of findTemplateProblems(reading, given)) {
    const wrong =
      name === null
        ? `in the inline prompt, ${message}`
        : `the inline prompt uses \`${name}\`, which is not an input`;
    report('WF509', {
      message: `${wrong}; for literal braces write ${RAW_BRACES}`,
      at: tagPlace(step, prompt, offset),
      help: () => (name === null ? 'fix the template' : unknownHelp(name, given, inputs)),
    });
  }
  const needsTask = reading.variables.find(({ name }) => name === 'task');
  if (needsTask === undefined || inputs === null || inputs.includes('task')) return;
  report('WF508', {
    message: 'the inline prompt needs the input `task`, which is not supplied',
    at: tagPlace(step, prompt, needsTask.offset),
    help: passInput('task', inputs),
  });
}

function unknownHelp(name: string, given: readonly string[], inputs: RuleContext['inputs']): string {
  const near = suggest(didYouMean(name, [...given, ...RUNTIME_INPUTS, 'task']));
  return near ?? `list it in \`inputs\` of the step, and ${passInput(name, inputs)}`;
}

/** Locates the `{{ … }}` or `{% … %}` around an offset; the name alone could also match earlier prose. */
function tagPlace(step: WorkflowStepView, prompt: string, offset: number): Place {
  const at = valuePlace(step.path, 'prompt');
  const start = Math.max(prompt.lastIndexOf('{{', offset), prompt.lastIndexOf('{%', offset));
  const [tag] = start < 0 ? [] : (/^\{[{%][^\n]*?[}%]\}|^\{[{%][^\n]*/.exec(prompt.slice(start)) ?? []);
  return tag === undefined ? at : { ...at, text: tag };
}

/** Reports only the first substitution: a prompt that shows code can have many. */
function checkSubstitutions(step: WorkflowStepView, prompt: string, { report }: RuleContext<'WF315'>): void {
  const found = findSubstitutions(prompt).find(({ name }) => name !== null);
  if (found === undefined) return;
  report('WF315', {
    message: `\`${found.text}\` is plain text in a prompt: nothing is substituted there`,
    at: { ...valuePlace(step.path, 'prompt'), text: found.text },
    help: substitutionHelp(found.name ?? ''),
  });
}

/** Inputs use `{{ name }}`; other substitution names have no corresponding input. */
export function substitutionHelp(name: string): string {
  const isInput = [...RUNTIME_INPUTS, 'task'].includes(name);
  return isInput ? `write \`{{ ${name} }}\` for the input` : 'write an input as `{{ name }}`';
}
