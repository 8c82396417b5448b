import type { AddVerb } from '../add-command.ts';

/** Registers the verbs to get started with in a repository. */
export function addStartVerbs(verb: AddVerb): void {
  verb(
    'init',
    'make .tnh/ with a configuration and a first workflow; never overwrites',
    'conductor init',
    async (context) => {
      const { init } = await import('./start/init.ts');
      return init(context);
    },
  );
  verb(
    'doctor',
    'what is configured, what is missing, how to fix it',
    'conductor doctor',
    async (context) => {
      const { doctor } = await import('./start/doctor.ts');
      return doctor(context);
    },
  );
  verb(
    'demo',
    'a whole run on a throw-away repository, without network or keys',
    'conductor demo --yes',
    async (context, _args, options) => {
      const { demo } = await import('./start/demo.ts');
      return demo(context, options.yes === true);
    },
  ).option('--yes', 'approve the gate without asking');
  verb(
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
}
