import type { ReadTemplate } from '../contracts/documents/prompt.ts';
import type { WorkflowDocument } from '../contracts/documents/workflow-document.ts';
import { didYouMean } from '../diagnostics/did-you-mean.ts';
import type { CheckedWorkflow } from './check-workflow.ts';
import { hasTemplate } from './document/prompt-template.ts';
import { type KnownNames, suggest } from './rule.ts';
import { promptForm } from './rules/steps/prompt-forms.ts';
import { isRuntimeInput } from './runtime-inputs.ts';

/** An input that the user gave and the run would not use. */
export interface UnusedInput {
  readonly message: string;
  readonly help: string;
}

/**
 * Finds the first input that no step takes, or that the run would overwrite. Returns null if the workflow has other
 * errors: an unknown prompt could take any input.
 */
export function findUnusedInput(
  { document, diagnostics }: CheckedWorkflow,
  prompts: KnownNames['prompts'] | null,
  given: readonly string[],
  readTemplate: ReadTemplate | null = null,
): UnusedInput | null {
  const wrong = diagnostics.some(({ severity, code }) => severity === 'error' && code !== 'WF508');
  if (document === null || wrong) return null;
  const taken = listTakenInputs(document, prompts, readTemplate);
  const name = given.find((candidate) => !taken.includes(candidate));
  if (name === undefined) return null;
  const takes = `the workflow takes ${taken.map((each) => `\`${each}\``).join(', ')}`;
  if (isRuntimeInput(name)) return { message: `the input \`${name}\` is set by the runtime`, help: takes };
  const meant = suggest(didYouMean(name, taken));
  return {
    message: `no step takes the input \`${name}\``,
    help: meant === null ? takes : `${meant} ${takes}`,
  };
}

/** The inputs that steps list and that their prompts declare or use. `task` is always included. */
function listTakenInputs(
  document: WorkflowDocument,
  prompts: KnownNames['prompts'] | null,
  readTemplate: ReadTemplate | null,
): readonly string[] {
  const asked = document.steps.flatMap((step) => {
    if (step.opcode !== 'RUN_AGENT' && step.opcode !== 'EVALUATE') return [];
    const declared = prompts?.get(step.prompt)?.inputs.map(({ name }) => name) ?? [];
    return [
      ...('inputs' in step ? (step.inputs ?? []) : []),
      ...declared,
      ...readVariables(step.prompt, readTemplate),
    ];
  });
  return [...new Set(['task', ...asked])].filter((name) => !isRuntimeInput(name));
}

function readVariables(prompt: string, readTemplate: ReadTemplate | null): readonly string[] {
  if (readTemplate === null || promptForm(prompt) !== 'inline' || !hasTemplate(prompt)) return [];
  return readTemplate(prompt).variables.map(({ name }) => name);
}
