import type { AddVerb } from './add-verb.ts';
import { text } from './option-values.ts';
import { TRUST_OPTION } from './trust-option.ts';
import { unknownQuestion } from './unknown-question.ts';

/** Verbs about agents without a run. */
export function addAgentVerbs(verb: AddVerb): void {
  verb(
    'agents <question> <name>',
    'try an agent alone (test): it has to write one file in a place that is thrown away',
    'conductor agents test claude-code',
    async (context, [question, name = '']) => {
      if (question !== 'test') throw unknownQuestion('agents', text(question), ['test']);
      const { testAgent } = await import('./verbs/agents.ts');
      return testAgent(context, name);
    },
  ).option(...TRUST_OPTION);
}
