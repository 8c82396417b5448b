import type { Prompt } from '../contracts/prompt.ts';

/** The prompts a run may refer to: the repository's, the user's and the built-in ones, nearest first. */
export interface PromptCatalog {
  /** By reference, `<prompt_id>.v<version>`. */
  readonly byRef: Pick<ReadonlyMap<string, Prompt>, 'get'>;
  /** What is wrong with its text, whatever its inputs will be; null where nothing is. `given` are names besides its own and the runtime's. */
  readonly problem: (prompt: Prompt, given: readonly string[]) => string | null;
  /** The variables that a text uses, in order; none where it is no template. */
  readonly variables: (body: string) => readonly string[];
  /**
   * Strict: a variable that is not given is an error. Reaches no file. With `fence`, every value that the text prints goes
   * through it.
   */
  readonly render: (
    prompt: Prompt,
    inputs: Readonly<Record<string, unknown>>,
    fence?: (value: unknown) => string,
  ) => RenderResult;
}

export type RenderResult =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly message: string };
