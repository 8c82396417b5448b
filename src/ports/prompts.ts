import type { Prompt } from '../contracts/documents/prompt.ts';

/** The prompts a run can use. The repository's take precedence over the user's, and those over built-in ones. */
export interface PromptCatalog {
  /** By reference, `<prompt_id>.v<version>`. */
  readonly byRef: Pick<ReadonlyMap<string, Prompt>, 'get'>;
  /** What prevents rendering with any inputs, or null. `given`: inputs besides its own and the runtime's. */
  readonly problem: (prompt: Prompt, given: readonly string[]) => string | null;
  /** The variables that a text uses, in order; empty if it is not a template. */
  readonly variables: (body: string) => readonly string[];
  /**
   * Strict: a missing variable is an error. Templates can't read files. If given, `fence` wraps every printed value.
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
