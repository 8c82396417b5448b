import { didYouMean } from '../../../diagnostics/did-you-mean.ts';
import { findTemplateProblems, hasTemplate, RAW_BRACES } from '../../document/prompt-template.ts';
import { type Place, type Rule, type RuleContext, suggest, valuePlace } from '../../rule.ts';
import { RUNTIME_INPUTS } from '../../runtime-inputs.ts';
import { asList, asText, type StepView } from '../../workflow-view.ts';
import { promptForm } from './prompt-forms.ts';
import { findSubstitutions } from './substitutions.ts';

/** Inline prompts are templates like prompt files; `inputs` of the step takes the place of declared inputs. */
export const inlineTemplatesRule: Rule = {
  step: (step, context) => {
    const prompt = step.opcode === 'RUN_AGENT' ? asText(step.fields.prompt) : null;
    if (prompt === null || promptForm(prompt) !== 'inline') return;
    checkSubstitutions(step, prompt, context);
    if (hasTemplate(prompt)) checkTemplate(step, prompt, context);
  },
};

function checkTemplate(
  step: StepView,
  prompt: string,
  { inputs, readTemplate, report, isFull }: RuleContext,
): void {
  if (readTemplate === null || isFull('WF509')) return;
  const reading = readTemplate(prompt);
  const listed = asList(step.fields.inputs).flatMap((entry) => asText(entry) ?? []);
  const given = [...listed, ...(inputs ?? [])];
  for (const { message, name, offset } of findTemplateProblems(reading, given)) {
    const wrong =
      name === null
        ? `in the inline prompt, ${message}`
        : `the inline prompt uses \`${name}\`, which is no input`;
    report('WF509', {
      message: `${wrong}; for literal braces write ${RAW_BRACES}`,
      at: tagPlace(step, prompt, offset),
      help: () => (name === null ? 'correct the template' : unknownHelp(name, given, inputs)),
    });
  }
  const needsTask = reading.variables.find(({ name }) => name === 'task');
  if (needsTask === undefined || inputs === null || inputs.includes('task')) return;
  report('WF508', {
    message: 'the inline prompt needs the input `task`, which nothing supplies',
    at: tagPlace(step, prompt, needsTask.offset),
    help: 'pass `--input task=…`',
  });
}

function unknownHelp(name: string, given: readonly string[], inputs: RuleContext['inputs']): string {
  const near = suggest(didYouMean(name, [...given, ...RUNTIME_INPUTS, 'task']));
  const give =
    inputs === null
      ? `give it to \`conductor run\` with \`--input ${name}=…\``
      : `pass \`--input ${name}=…\``;
  return near ?? `list it in \`inputs\` of the step, and ${give}`;
}

/** Locates the `{{ … }}` or `{% … %}` around an offset; the name alone could also match earlier prose. */
function tagPlace(step: StepView, prompt: string, offset: number): Place {
  const at = valuePlace(step.path, 'prompt');
  const start = Math.max(prompt.lastIndexOf('{{', offset), prompt.lastIndexOf('{%', offset));
  const [tag] = start < 0 ? [] : (/^\{[{%][^\n]*?[}%]\}|^\{[{%][^\n]*/.exec(prompt.slice(start)) ?? []);
  return tag === undefined ? at : { ...at, text: tag };
}

/** Reports only the first substitution: a prompt that shows code can have many. */
function checkSubstitutions(step: StepView, prompt: string, { report }: RuleContext): void {
  const found = findSubstitutions(prompt).find(({ name }) => name !== null);
  if (found === undefined) return;
  report('WF315', {
    message: `\`${found.text}\` stands in a prompt, where it is plain text`,
    at: { ...valuePlace(step.path, 'prompt'), text: found.text },
    help: substitutionHelp(found.name ?? ''),
  });
}

/** Inputs use `{{ name }}`; other substitution names have no corresponding input. */
export function substitutionHelp(name: string): string {
  const isInput = [...RUNTIME_INPUTS, 'task'].includes(name);
  return isInput
    ? `write \`{{ ${name} }}\` for the input`
    : 'nothing is substituted in a prompt; inputs are written as `{{ name }}`';
}
