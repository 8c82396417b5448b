import { errorCode, warningCode } from '../../../diagnostics/codes.ts';
import { didYouMean } from '../../../diagnostics/did-you-mean.ts';
import { asList, asText } from '../../../text/json.ts';
import { defineRule, type KnownPrompt, type RuleContext, suggest, valuePlace } from '../../rule.ts';
import { isRuntimeInput, RUNTIME_INPUTS } from '../../runtime-inputs.ts';
import type { WorkflowStepView } from '../../workflow-view.ts';
import { promptForm } from './prompt-forms.ts';

/** Declared once for this rule and the one of inline prompts. */
export const INPUT_CODES = {
  WF508: errorCode('an input is not supplied'),
  WF509: errorCode('a prompt cannot be rendered'),
};

export const promptInputsRule = defineRule({
  codes: { ...INPUT_CODES, WF510: warningCode('an input must be passed to every run') },
  step: (step, context) => {
    if (step.opcode !== 'RUN_AGENT' && step.opcode !== 'EVALUATE') return;
    const text = asText(step.fields.prompt);
    if (text === null) return;
    const form = promptForm(text);
    const prompt = form === 'reference' ? (context.names?.prompts.get(text) ?? null) : null;
    // An unknown prompt may declare any input.
    if (form === 'inline' || prompt !== null) checkGiven(step, prompt, context);
    if (prompt !== null) {
      checkRequired(step, text, prompt, context);
      checkTemplate(step, text, prompt, context);
    }
  },
});

function checkGiven(
  step: WorkflowStepView,
  prompt: KnownPrompt | null,
  { inputs, report, isFull }: RuleContext<'WF508' | 'WF510'>,
): void {
  const declared = prompt?.inputs.map((input) => input.name) ?? [];
  // An inline prompt can't declare inputs, so an unknown input may still be given when a run starts.
  const mayComeLater = prompt === null && inputs === null;
  for (const [index, entry] of asList(step.fields.inputs).entries()) {
    // Choosing between the two codes is expensive; stop once further findings would be dropped.
    if (mayComeLater && (isFull('WF508') || isFull('WF510'))) return;
    const name = asText(entry);
    if (name === null || name.trim() === '' || name === 'task') continue;
    if (isRuntimeInput(name) || declared.includes(name) || inputs?.includes(name)) continue;
    const near = () => didYouMean(name, [...declared, ...RUNTIME_INPUTS, 'task']);
    report(mayComeLater && near() === null ? 'WF510' : 'WF508', {
      message: `the runtime does not supply the input \`${name}\`${prompt === null ? '' : ', and the prompt does not declare it'}`,
      at: valuePlace(step.path, 'inputs', index),
      help: () =>
        suggest(near()) ??
        `${prompt === null || inputs !== null ? '' : 'declare it in the prompt, or '}${passInput(name, inputs)}`,
    });
  }
}

/** A starting run needs all required inputs; before that, inputs that the step lists may still be given. */
function checkRequired(
  step: WorkflowStepView,
  ref: string,
  prompt: KnownPrompt,
  { inputs, report }: RuleContext<'WF508'>,
): void {
  const asked = new Set(asList(step.fields.inputs));
  for (const { name, required } of prompt.inputs) {
    if (!required || isRuntimeInput(name) || inputs?.includes(name)) continue;
    if (inputs === null && (name === 'task' || asked.has(name))) continue;
    report('WF508', {
      message: `the prompt \`${ref}\` needs the input \`${name}\`, which is not supplied`,
      at: valuePlace(step.path, 'prompt'),
      help: `${inputs === null ? 'list it in `inputs` of the step, and ' : ''}${passInput(name, inputs)}`,
    });
  }
}

/** Only an agent gets the inputs of its step; a planner gets the runtime inputs only. */
function checkTemplate(
  step: WorkflowStepView,
  ref: string,
  prompt: KnownPrompt,
  { report }: RuleContext<'WF509'>,
): void {
  const asked = asList(step.fields.inputs).flatMap((entry) => asText(entry) ?? []);
  const problem = prompt.problem?.(step.opcode === 'RUN_AGENT' ? asked : []) ?? null;
  if (problem === null) return;
  report('WF509', {
    message: `the prompt \`${ref}\` cannot be rendered: ${problem.message}`,
    at: valuePlace(step.path, 'prompt'),
    notes: [`the problem is at ${problem.place}`],
    help: problem.help,
  });
}

/** Only `conductor run` takes inputs, so the help names it if no run is starting. */
export function passInput(name: string, inputs: RuleContext['inputs']): string {
  return `pass ${inputs === null ? 'it to `conductor run` with ' : ''}\`--input ${name}=…\``;
}
