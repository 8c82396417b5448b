import type { TemplateReading } from '../../contracts/documents/prompt.ts';
import type { DocumentCode } from '../../diagnostics/codes.ts';
import { didYouMean } from '../../diagnostics/did-you-mean.ts';
import { RUNTIME_INPUTS } from '../runtime-inputs.ts';

/** Inputs that every prompt can use without declaring them. */
const ALWAYS_GIVEN: readonly string[] = [...RUNTIME_INPUTS, 'task'];

/** The syntax for literal braces. */
export const RAW_BRACES = '`{% raw %}…{% endraw %}`';

/** Whether a text uses template syntax. Avoids loading the engine, which is slower than most checks. */
export function hasTemplate(text: string): boolean {
  return /\{[{%]/.test(text);
}

export interface TemplateProblem {
  readonly code: Extract<DocumentCode, 'PR108' | 'PR109'>;
  /** The unknown variable; null if the template doesn't parse. */
  readonly name: string | null;
  readonly message: string;
  /** Offset in the prompt body. */
  readonly offset: number;
  readonly length: number;
  readonly help: string;
}

/** Problems that prevent rendering for any input values. `given`: the available inputs besides the runtime's. */
export function findTemplateProblems(
  { fault, variables }: TemplateReading,
  given: readonly string[],
): readonly TemplateProblem[] {
  if (fault !== null) {
    const { message, offset, length } = fault;
    const help = `fix it; ${RAW_BRACES} keeps braces as they are`;
    const described = `the template cannot be read: ${message}`;
    return [{ code: 'PR108', name: null, message: described, offset, length, help }];
  }
  const known = new Set([...given, ...ALWAYS_GIVEN]);
  return variables
    .filter(({ name }) => !known.has(name))
    .map(({ name, offset }) => {
      const near = didYouMean(name, known);
      return {
        code: 'PR109',
        name,
        message: `the text uses \`${name}\`, which is not an input of the prompt`,
        offset,
        length: name.length,
        help:
          near === null
            ? `declare it in \`inputs\` of the prompt; ${RAW_BRACES} keeps braces as they are`
            : `did you mean \`${near}\`?`,
      };
    });
}
