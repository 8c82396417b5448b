import type { Command } from 'commander';
import type { CommandContext } from './command-context.ts';
import type { ExitCode } from './exit-codes.ts';

/** Executes a command with its positional arguments and options. */
export type Action = (
  context: CommandContext,
  args: string[],
  options: Readonly<Record<string, unknown>>,
) => Promise<ExitCode>;

/** Registers a command, with the common options `--json` and `--repo`, its help and its dispatch. */
export type AddCommand = (
  usage: string,
  description: string,
  example: string,
  action: Action,
  scope?: CommandScope,
) => Command;

/** Whether a command works in a repository of the user and therefore takes `--repo`. */
type CommandScope = 'repository' | 'no_repository';

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
      command.commandsGroup('Commands:').helpCommand('help [command]', 'show help for a command'),
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
  return (usage, description, example, action, scope = 'repository') => {
    const [name = '', ...args] = usage.split(' ');
    const needsRun = args[0] === '<run>';
    // Optional for commander, which would only refuse a missing run; conductor also lists the existing runs.
    const parsed = needsRun ? args.map((arg) => arg.replace('<', '[').replace('>', ']')) : args;
    const command = addCommonOptions(parent.command([name, ...parsed].join(' ')), scope)
      .description(description)
      .exitOverride()
      .addHelpText('after', `\nExample:\n  $ ${example}\n`);
    if (needsRun) command.usage(['[options]', ...args].join(' '));
    command.action((...received: unknown[]) => {
      const positional = received
        .slice(0, -2)
        .flat()
        .filter((value) => typeof value === 'string');
      if (needsRun && positional.length === 0)
        return dispatch(
          refuseWithoutRun(pathOf(command), suggestLatest(pathOf(command), args, example)),
          [],
          command.optsWithGlobals(),
        );
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

function addCommonOptions(command: Command, scope: CommandScope = 'repository'): Command {
  command.option('--json', 'print one JSON document on stdout');
  return scope === 'no_repository'
    ? command
    : command.option('--repo <dir>', 'the repository to work in (default: the current folder)');
}

/** The command with the newest run. If it needs more arguments, the example has them. */
function suggestLatest(command: string, [, ...more]: readonly string[], example: string): string {
  return more.some((arg) => arg.startsWith('<')) ? example.replace('0199ab', 'latest') : `${command} latest`;
}

function refuseWithoutRun(command: string, suggestion: string): Action {
  return async (context) => {
    const { listAvailableRuns } = await import('./driving/available-runs.ts');
    return listAvailableRuns(context, command, suggestion);
  };
}
