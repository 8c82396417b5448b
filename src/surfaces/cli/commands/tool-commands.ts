import type { Command } from 'commander';
import type { AddVerb } from '../add-command.ts';
import { text } from '../option-values.ts';

/** Registers the verbs for editors and shells. */
export function addToolVerbs(verb: AddVerb, program: Command): void {
  verb(
    'schema [name]',
    'a JSON Schema, for editors and other tools; without a name, the list',
    'conductor schema workflow',
    async (context, [name]) => {
      const { schema } = await import('./workflow/schema.ts');
      return schema(context, name ?? null);
    },
  );
  verb(
    'completion <shell>',
    'a completion script for bash, zsh or fish',
    'source <(conductor completion bash)',
    async (context, [shell]) => {
      const { completion } = await import('./start/completion.ts');
      return Promise.resolve(completion(context, text(shell), program));
    },
  );
}
