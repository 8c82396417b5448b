import type { TemplateReading } from '../contracts/prompt.ts';
import type { Code } from '../diagnostics/codes.ts';
import { didYouMean } from '../diagnostics/did-you-mean.ts';
import { RUNTIME_INPUTS } from './runtime-inputs.ts';

/** What every prompt may use without declaring it. */
const ALWAYS_GIVEN: readonly string[] = [...RUNTIME_INPUTS, 'task'];

export interface TemplateProblem {
  readonly code: Extract<Code, 'PR108' | 'PR109'>;
  readonly message: string;
  /** Into the text of the prompt. */
  readonly offset: number;
  readonly length: number;
  readonly help: string;
}

/** What keeps a text from being rendered, whatever its inputs will be. `given` are names besides those of the runtime. */
export function findTemplateProblems(
  { fault, variables }: TemplateReading,
  given: readonly string[],
): readonly TemplateProblem[] {
  if (fault !== null) {
    const { message, offset, length } = fault;
    const help = 'correct it; `{% raw %}…{% endraw %}` keeps braces as they are';
    return [{ code: 'PR108', message: `the template cannot be read: ${message}`, offset, length, help }];
  }
  const known = new Set([...given, ...ALWAYS_GIVEN]);
  return variables
    .filter(({ name }) => !known.has(name))
    .map(({ name, offset }) => {
      const near = didYouMean(name, known);
      return {
        code: 'PR109',
        message: `the text uses \`${name}\`, which is no input of the prompt`,
        offset,
        length: name.length,
        help: near === null ? 'declare it in `inputs` of the prompt' : `did you mean \`${near}\`?`,
      };
    });
}
