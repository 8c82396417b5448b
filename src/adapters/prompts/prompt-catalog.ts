import type { Prompt } from '../../contracts/prompt.ts';
import type { PromptCatalog } from '../../ports/prompts.ts';
import { createTemplateEngine } from './template.ts';

export function createPromptCatalog(byRef: ReadonlyMap<string, Prompt>): PromptCatalog {
  const engine = createTemplateEngine();
  return {
    byRef,
    problem: (prompt, given) => {
      const known = new Set([...prompt.inputs.map((input) => input.name), ...given]);
      try {
        const unknown = engine.globalVariablesSync(prompt.body).filter((name) => !known.has(name));
        return unknown.length === 0 ? null : `undefined variable: ${unknown.join(', ')}`;
      } catch (error) {
        return error instanceof Error ? error.message : String(error);
      }
    },
    render: (prompt, inputs) => {
      const missing = prompt.inputs.filter((input) => input.required && inputs[input.name] == null);
      if (missing.length > 0)
        return {
          ok: false,
          message: `prompt ${prompt.ref} needs ${missing.map((input) => input.name).join(', ')}, which nothing gives`,
        };
      const given: Record<string, unknown> = { ...inputs };
      for (const input of prompt.inputs) given[input.name] ??= null;
      try {
        return { ok: true, text: String(engine.parseAndRenderSync(prompt.body, given)) };
      } catch (error) {
        return {
          ok: false,
          message: `prompt ${prompt.ref}: ${error instanceof Error ? error.message : String(error)}`,
        };
      }
    },
  };
}
