import type { VerbGroup } from '../add-command.ts';
import { TRUST_OPTION } from '../driving/trust-option.ts';
import { text } from '../option-values.ts';

/** Registers the verbs that use an agent without a run. */
export function addAgentVerbs(group: VerbGroup): void {
  const verb = group('agents', 'try an agent without a run', 'conductor agents test claude-code');
  verb(
    'test <name>',
    'have an agent write one file in a temporary repository',
    'conductor agents test claude-code',
    async (context, [name]) => {
      const { testAgent } = await import('./start/agents.ts');
      return testAgent(context, text(name));
    },
  ).option(...TRUST_OPTION);
}
