import type { Registrar } from '../add-command.ts';
import { collect, listed, number, optional, positiveCount, TRUST_OPTION } from '../option-values.ts';

/** Registers the commands of the group "Drive runs from a queue". */
export function addEngineCommands({ add, addGroup }: Registrar): void {
  add(
    'worker',
    "drive runs from the engine's queue until it is stopped",
    'conductor worker --label agent=claude-code --slots 4',
    async (context, _args, options) => {
      const { worker } = await import('./engine/worker.ts');
      return worker(context, {
        labels: listed(options.label),
        slots: number(options.slots) ?? 1,
        name: optional(options.name),
        once: options.once === true,
      });
    },
  )
    .option(
      '--label <name=value>',
      'what this worker has; may be repeated; with agent=NAME, only these agents',
      collect,
    )
    .option('--slots <n>', 'how many runs it drives at the same time', positiveCount, 1)
    .option('--name <name>', 'its name in the status (default: the machine and the process)')
    .option('--once', 'return once no run is due')
    .option(...TRUST_OPTION);
  const addEngine = addGroup(
    'engine',
    'set up the engine that keeps runs, and look at its queue',
    'conductor engine status',
  );
  addEngine(
    'up',
    'create or update the tables of the engine, and check what its runs depend on',
    'conductor engine up',
    async (context, _args, options) => {
      const { engineUp } = await import('./engine/up.ts');
      return engineUp(context, { dev: options.dev === true });
    },
  ).option('--dev', 'start a PostgreSQL server on this machine for it, and print how to use it');
  addEngine(
    'status',
    'show the workers, the queue, and what each queued run waits for',
    'conductor engine status',
    async (context) => {
      const { engineStatus } = await import('./engine/status.ts');
      return engineStatus(context);
    },
  );
}
