import type { AddVerb } from './add-verb.ts';
import { CliError } from './cli-error.ts';

/** Verbs about agents without a run. */
export function addAgentVerbs(verb: AddVerb): void {
  verb(
    'agents <question> <name>',
    'try an agent alone (test): it has to write one file in a place that is thrown away',
    'conductor agents test claude-code',
    async (context, [question, name = '']) => {
      if (question !== 'test')
        throw new CliError(
          `agents does not know ${question}`,
          'conductor agents test NAME; conductor doctor lists the agents',
        );
      const { testAgent } = await import('./verbs/agents.ts');
      return testAgent(context, name);
    },
  );
}
