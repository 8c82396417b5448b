import type { Registrar } from '../add-command.ts';
import { TRUST_OPTION, text } from '../option-values.ts';

/** Registers the commands of the group "Get started". */
export function addStartCommands({ add, addGroup }: Registrar): void {
  add(
    'init',
    'make .tnh/ with a configuration and a first workflow; never overwrites',
    'conductor init',
    async (context) => {
      const { init } = await import('./start/init.ts');
      return init(context);
    },
  );
  add('doctor', 'what is configured, what is missing, how to fix it', 'conductor doctor', async (context) => {
    const { doctor } = await import('./start/doctor.ts');
    return doctor(context);
  });
  add(
    'demo',
    'a whole run on a throw-away repository, without network or keys',
    'conductor demo --yes',
    async (context, _args, options) => {
      const { demo } = await import('./start/demo.ts');
      return demo(context, options.yes === true);
    },
  ).option('--yes', 'approve the gate without asking');
  add(
    'trust',
    'show what this repository may execute, and trust it with that',
    'conductor trust',
    async (context, _args, options) => {
      const { trust } = await import('./policy/trust.ts');
      return trust(context, { list: options.list === true, revoke: options.revoke === true });
    },
  )
    .option('--list', 'list the repositories that you trust')
    .option('--revoke', 'trust this repository no longer');
  const addAgents = addGroup('agents', 'try an agent without a run', 'conductor agents test claude-code');
  addAgents(
    'test <name>',
    'have an agent write one file in a temporary repository',
    'conductor agents test claude-code',
    async (context, [name]) => {
      const { testAgent } = await import('./start/agents.ts');
      return testAgent(context, text(name));
    },
  ).option(...TRUST_OPTION);
}
