import type { Registrar } from '../add-command.ts';
import { TRUST_OPTION, text } from '../option-values.ts';

/** Registers the commands of the group "Get started". */
export function addStartCommands({ add, addGroup }: Registrar): void {
  add(
    'init',
    'create .tnh/ with a configuration and a first workflow; overwrites nothing',
    'conductor init',
    async (context) => {
      const { init } = await import('./start/init.ts');
      return init(context);
    },
  );
  add(
    'doctor',
    'check what is installed and configured, and how to fix what is missing',
    'conductor doctor',
    async (context) => {
      const { doctor } = await import('./start/doctor.ts');
      return doctor(context);
    },
  );
  add(
    'demo',
    'try a whole run in a temporary repository, without network or keys',
    'conductor demo --yes',
    async (context, _args, options) => {
      const { demo } = await import('./start/demo.ts');
      return demo(context, options.yes === true);
    },
    'no_repository',
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
    .option('--revoke', 'stop trusting this repository');
  const addAgents = addGroup('agents', 'try an agent without a run', 'conductor agents test claude-code');
  addAgents(
    'test <name>',
    'let an agent write one file in a temporary repository',
    'conductor agents test claude-code',
    async (context, [name]) => {
      const { testAgent } = await import('./start/agents.ts');
      return testAgent(context, text(name));
    },
  ).option(...TRUST_OPTION);
  const addNotify = addGroup('notify', 'try the notifications', 'conductor notify test');
  addNotify(
    'test',
    'send one notification to each configured target',
    'conductor notify test',
    async (context) => {
      const { testNotify } = await import('./start/notify.ts');
      return testNotify(context);
    },
  ).option(...TRUST_OPTION);
}
