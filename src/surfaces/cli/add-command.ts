import type { Command } from 'commander';
import type { VerbContext } from './command-context.ts';
import type { ExitCode } from './exit-codes.ts';

/** Executes a command with its positional arguments and options. */
export type Action = (
  context: VerbContext,
  args: string[],
  options: Readonly<Record<string, unknown>>,
) => Promise<ExitCode>;

/** Registers a command, with the common options `--json` and `--repo`, its help and its dispatch. */
export type AddCommand = (usage: string, description: string, example: string, action: Action) => Command;

/** Calls an action with the context of this command line. */
export type Dispatch = (
  action: Action,
  args: string[],
  options: Readonly<Record<string, unknown>>,
) => Promise<void>;

/** How the files `commands/*-commands.ts` register their commands. */
export interface Registrar {
  readonly program: Command;
  readonly add: AddCommand;
  /** Registers a command that only has subcommands, and returns the function that adds them. */
  readonly addGroup: (name: string, description: string, example: string) => AddCommand;
  /** For a command that also works without a subcommand. */
  readonly addBelow: (command: Command) => AddCommand;
}

export function createRegistrar(program: Command, dispatch: Dispatch): Registrar {
  const addBelow = (command: Command) =>
    createAddCommand(
      command.commandsGroup('Commands:').helpCommand('help [command]', 'how a command is used'),
      dispatch,
    );
  return {
    program,
    add: createAddCommand(program, dispatch),
    addGroup: (name, description, example) =>
      addBelow(
        addCommonOptions(program.command(name))
          .description(description)
          .usage('<command> [options]')
          .exitOverride()
          .addHelpText('after', `\nExample:\n  $ ${example}\n`),
      ),
    addBelow,
  };
}

function createAddCommand(parent: Command, dispatch: Dispatch): AddCommand {
  return (usage, description, example, action) => {
    const [name = '', ...args] = usage.split(' ');
    const needsRun = args[0] === '<run>';
    // Optional for commander, which would only refuse a missing run; conductor also lists the existing runs.
    const parsed = needsRun ? args.map((arg) => arg.replace('<', '[').replace('>', ']')) : args;
    const command = addCommonOptions(parent.command([name, ...parsed].join(' ')))
      .description(description)
      .exitOverride()
      .addHelpText('after', `\nWith --no-input nothing is ever asked.\n\nExample:\n  $ ${example}\n`);
    if (needsRun) command.usage(['[options]', ...args].join(' '));
    command.action((...received: unknown[]) => {
      const positional = received
        .slice(0, -2)
        .flat()
        .filter((value) => typeof value === 'string');
      if (needsRun && positional.length === 0)
        return dispatch(refuseWithoutRun(pathOf(command)), [], command.optsWithGlobals());
      const missing = args.slice(positional.length).find((arg) => arg.startsWith('<'));
      if (needsRun && missing !== undefined)
        command.error(`error: missing required argument '${missing.slice(1, -1)}'`);
      return dispatch(action, positional, command.optsWithGlobals());
    });
    return command;
  };
}

/** `conductor work plan`: the command with its parents. */
function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}

function addCommonOptions(command: Command): Command {
  return command
    .option('--json', 'print one JSON document on stdout')
    .option('--repo <dir>', 'the repository to work in (default: the current folder)');
}

function refuseWithoutRun(command: string): Action {
  return async (context) => {
    const { listAvailableRuns } = await import('./driving/available-runs.ts');
    return listAvailableRuns(context, command);
  };
}
