import { didYouMean } from '../../diagnostics/did-you-mean.ts';
import { type KnownPrompt, type Rule, type RuleContext, suggest, valuePlace } from '../rule.ts';
import { asList, asText, type StepView } from '../workflow-view.ts';
import { promptForm } from './prompt-forms.ts';

/** What the runtime knows by itself. `task` is not among them: a person gives it. */
const RUNTIME_INPUTS = [
  'run_id',
  'workflow_id',
  'step_id',
  'diff',
  'component_kind',
  'eval_profile',
  'harness_report',
  'fix_instructions',
  'review_report',
  'validation',
  'allowed_next_steps',
  'evidence',
  'provenance_window',
  'policy_events',
  'step_intent',
  'transcript',
  'diff_summary',
  'validation_results',
  'blockers',
  'risk_flags',
  'refinement',
] as const;

const RUNTIME = new Set<string>(RUNTIME_INPUTS);

export const promptInputsRule: Rule = {
  step: (step, context) => {
    if (step.opcode !== 'RUN_AGENT' && step.opcode !== 'EVALUATE') return;
    const text = asText(step.fields.prompt);
    if (text === null) return;
    const form = promptForm(text);
    const prompt = form === 'reference' ? (context.names?.prompts.get(text) ?? null) : null;
    // A prompt that cannot be looked at may declare anything.
    if (form === 'inline' || prompt !== null) checkGiven(step, prompt, context);
    if (prompt !== null) checkRequired(step, text, prompt, context);
  },
};

function checkGiven(step: StepView, prompt: KnownPrompt | null, { inputs, report }: RuleContext): void {
  const declared = prompt?.inputs.map((input) => input.name) ?? [];
  for (const [index, entry] of asList(step.fields.inputs).entries()) {
    const name = asText(entry);
    if (name === null || name.trim() === '' || name === 'task') continue;
    if (RUNTIME.has(name) || declared.includes(name) || inputs?.includes(name)) continue;
    report('WF508', {
      message: `the input \`${name}\` is not supplied by the runtime${prompt === null ? '' : ', nor declared by the prompt'}`,
      at: valuePlace(step.path, 'inputs', index),
      help:
        suggest(didYouMean(name, [...declared, ...RUNTIME_INPUTS, 'task'])) ?? `pass \`--input ${name}=…\``,
    });
  }
}

/** Before a run starts everything has to be there; until then, what the step asks for may still be given. */
function checkRequired(
  step: StepView,
  ref: string,
  prompt: KnownPrompt,
  { inputs, report }: RuleContext,
): void {
  const asked = new Set(asList(step.fields.inputs));
  for (const { name, required } of prompt.inputs) {
    if (!required || RUNTIME.has(name) || inputs?.includes(name)) continue;
    if (inputs === null && (name === 'task' || asked.has(name))) continue;
    report('WF508', {
      message: `the prompt \`${ref}\` needs the input \`${name}\`, which nothing supplies`,
      at: valuePlace(step.path, 'prompt'),
      help: `pass \`--input ${name}=…\``,
    });
  }
}
