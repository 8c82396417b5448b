import type { PromptCatalog } from '../../ports/prompts.ts';
import { messageOf } from '../../text/error-message.ts';
import { findTemplateProblems, hasTemplate } from '../../workflow/document/prompt-template.ts';
import { createTemplateEngine, createTemplateReader } from './template.ts';

export function createPromptCatalog(byRef: PromptCatalog['byRef']): PromptCatalog {
  const engine = createTemplateEngine();
  const readTemplate = createTemplateReader(engine);
  return {
    byRef,
    problem: (prompt, given) => {
      const declared = prompt.inputs.map((input) => input.name);
      return findTemplateProblems(readTemplate(prompt.body), [...declared, ...given])[0]?.message ?? null;
    },
    variables: (body) => (hasTemplate(body) ? readTemplate(body).variables.map(({ name }) => name) : []),
    render: (prompt, inputs, fence) => {
      const missing = prompt.inputs.filter((input) => input.required && inputs[input.name] == null);
      if (missing.length > 0)
        return {
          ok: false,
          message: `prompt ${prompt.ref} needs ${missing.map((input) => input.name).join(', ')}, which nothing gives`,
        };
      const given: Record<string, unknown> = { ...inputs };
      for (const input of prompt.inputs) given[input.name] ??= null;
      try {
        const renderer = fence === undefined ? engine : createTemplateEngine(fence);
        return { ok: true, text: String(renderer.parseAndRenderSync(prompt.body, given)) };
      } catch (error) {
        return {
          ok: false,
          message: `prompt ${prompt.ref}: ${messageOf(error)}`,
        };
      }
    },
  };
}
