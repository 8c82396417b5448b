import { resolve } from 'node:path';
import { Command, CommanderError, Help, Option } from 'commander';
import type { Services } from '../../app/services.ts';
import { describeFailure, isExpectedFailure } from '../../contracts/expected-failure.ts';
import { formatJson } from '../../text/outside-text.ts';
import { createRegistrar, type Dispatch } from './add-command.ts';
import { exitCodeOfError, isUserError } from './cli-error.ts';
import { type CommandContext, JSON_SCHEMA_VERSION } from './command-context.ts';
import { addEngineCommands } from './commands/engine-commands.ts';
import { addPlumbingCommands } from './commands/plumbing-commands.ts';
import { addGateCommands, addLookCommands, addRunCommands } from './commands/run-commands.ts';
import { addStartCommands } from './commands/start-commands.ts';
import { addUpkeepCommands } from './commands/upkeep-commands.ts';
import { addWorkCommands } from './commands/work-commands.ts';
import { addWorkflowCommands } from './commands/workflow-commands.ts';
import { createDetachableTerminal, takeDetachment } from './driving/detached-terminal.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { withRepo } from './output/command-text.ts';
import { createTerminal, printLines, stderrOf, type Terminal } from './output/terminal.ts';
import { watchReaders } from './readers.ts';
import { describeUsage, expandHelp } from './usage-error.ts';

export interface ProgramDeps {
  readonly version: string;
  /** Loads the adapters; called by the first command that needs them. */
  readonly services: () => Promise<Services>;
}

interface CommonOptions {
  readonly json?: true;
  /** Several for `serve`, which takes them itself. */
  readonly repo?: string | readonly string[];
  readonly trust?: true;
}

const NO_INPUT = '--no-input';

/** Runs one command line and returns its exit code. Prints an error that the user can fix as a message and its help. */
export async function runCommandLine(argv: readonly string[], deps: ProgramDeps): Promise<ExitCode> {
  // Removed before parsing: commander would treat it as the negation of `--input`.
  const noInput = argv.includes(NO_INPUT);
  let code: ExitCode = EXIT.success;
  let context: CommandContext | null = null;
  const openTerminal = (noInput: boolean): Terminal =>
    createTerminal({
      stdin: process.stdin,
      stdout: process.stdout,
      stderr: process.stderr,
      env: process.env,
      noInput,
    });
  const readers = watchReaders();
  const detached = takeDetachment(process.env);
  const program = createProgram(deps.version, async (action, args, options) => {
    const common = options as unknown as CommonOptions;
    const repo = typeof common.repo === 'string' ? common.repo : null;
    const { terminal, leave } = createDetachableTerminal(openTerminal(noInput));
    context = {
      terminal,
      services: deps.services,
      json: common.json === true,
      startDir: resolve(repo ?? '.'),
      repo,
      version: deps.version,
      isTrustGiven: common.trust === true,
      ...readers,
      leaveTerminal: detached ? leave : null,
    };
    code = await action(context, args, options);
  });
  const words = argv.filter((word) => word !== NO_INPUT);
  const json = argv.includes('--json');
  try {
    await program.parseAsync(expandHelp(program, words), { from: 'user' });
    return code;
  } catch (error) {
    const fallback = openTerminal(true);
    if (!(error instanceof CommanderError)) return reportError(error, context, fallback, json);
    if (error.exitCode === 0) return EXIT.success;
    const usageError = describeUsage(error, program, words);
    // Commander has already printed the help of a group without a subcommand.
    if (error.code !== 'commander.help') return reportError(usageError, context, fallback, json);
    if (json) fallback.out(errorDocument(usageError.message, usageError.help));
    return EXIT.usage;
  }
}

function reportError(
  error: unknown,
  context: CommandContext | null,
  fallback: Terminal,
  json: boolean,
): ExitCode {
  const terminal = context?.terminal ?? fallback;
  const known = isUserError(error) || isExpectedFailure(error);
  const { message } = describeFailure(error);
  const hint = hintFor(error);
  const help = hint === null ? null : withRepo(hint, context?.repo ?? null);
  if (json) terminal.out(errorDocument(message, help));
  const prefix = known ? 'conductor:' : 'conductor: internal error:';
  printLines(stderrOf(terminal), [
    ...`${terminal.paint.red(prefix)} ${message}`.split('\n'),
    ...(help === null ? [] : `  ${terminal.paint.dim('help:')} ${help}`.split('\n')),
  ]);
  if (!known && process.env.CONDUCTOR_DEBUG === '1' && error instanceof Error)
    terminal.err(`${error.stack}\n`);
  return exitCodeOfError(error);
}

function hintFor(error: unknown): string | null {
  if (isUserError(error)) return error.help;
  return isExpectedFailure(error)
    ? `the record is complete; ${describeFailure(error).fix ?? 'fix this'}, then try again`
    : 'this is a bug in conductor; CONDUCTOR_DEBUG=1 shows the stack';
}

function errorDocument(message: string, help: string | null): string {
  const document = { schema_version: JSON_SCHEMA_VERSION, ok: false, error: { message, help } };
  return `${formatJson(document)}\n`;
}

function createProgram(version: string, dispatch: Dispatch): Command {
  const program = new Command('conductor')
    .description('Drives coding agents through workflows, and checks their results against evidence.')
    .version(version, '-V, --version')
    .exitOverride()
    .configureHelp({ subcommandTerm: formatTerm, visibleOptions: listOptions })
    // A usage error is reported like every other error, by `reportError`.
    .configureOutput({ outputError: () => {} })
    .addHelpText('after', '\nExample:\n  $ conductor demo\n');

  const registrar = createRegistrar(program, dispatch);
  // `--help` lists the groups in this order.
  program.commandsGroup('Get started:').helpCommand('help [command]', 'show help for a command');
  addStartCommands(registrar);
  program.commandsGroup('Write workflows:');
  addWorkflowCommands(registrar);
  program.commandsGroup('Run a workflow:');
  addRunCommands(registrar);
  program.commandsGroup('Answer gates:');
  addGateCommands(registrar);
  program.commandsGroup('Look at runs:');
  addLookCommands(registrar);
  program.commandsGroup('Restore and clean up:');
  addUpkeepCommands(registrar);
  program.commandsGroup('Plan and dispatch work items:');
  addWorkCommands(registrar);
  program.commandsGroup('Drive runs from a queue:');
  addEngineCommands(registrar);
  program.commandsGroup('Plumbing:');
  addPlumbingCommands(registrar);
  return program;
}

/** Lists `--no-input`, which is removed before parsing, for commands that prompt: for trust, or at the gate of the demo. */
function listOptions(this: Help, command: Command): Option[] {
  const options = Help.prototype.visibleOptions.call(this, command);
  const prompts = command.options.some(({ long }) => long === '--trust' || long === '--yes');
  return prompts
    ? [...options.slice(0, -1), new Option(NO_INPUT, 'never prompt; fail instead'), ...options.slice(-1)]
    : options;
}

/** A command with its arguments, but without `[options]`, which every command has. */
function formatTerm(command: Command): string {
  return `${command.name()} ${command.usage().replace('[options]', '')}`.replace(/ +/g, ' ').trim();
}
