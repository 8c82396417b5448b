import { resolve } from 'node:path';
import { Command, CommanderError } from 'commander';
import type { Services } from '../../app/services.ts';
import { isExpectedFailure, tellFailure } from '../../contracts/expected-failure.ts';
import { formatJson, neutralise } from '../../text/outside-text.ts';
import { wrapLine } from '../../text/wrap-line.ts';
import type { Action, AddVerb, VerbGroup } from './add-command.ts';
import { CliError } from './cli-error.ts';
import { JSON_SCHEMA_VERSION, type VerbContext } from './command-context.ts';
import { addAgentVerbs } from './commands/agent-commands.ts';
import { addHarnessVerbs } from './commands/harness-commands.ts';
import { addPlannerVerbs } from './commands/planner-commands.ts';
import { addPolicyVerbs } from './commands/policy-commands.ts';
import { addRecordVerbs } from './commands/record-commands.ts';
import { addGateVerbs, addLookVerbs, addRunVerbs } from './commands/run-commands.ts';
import { addScopeVerbs } from './commands/scope-commands.ts';
import { addStartVerbs } from './commands/start-commands.ts';
import { addToolVerbs } from './commands/tool-commands.ts';
import { addUpkeepVerbs } from './commands/upkeep-commands.ts';
import { addContractVerbs, addWorkVerbs } from './commands/work-commands.ts';
import { addWorkflowVerbs } from './commands/workflow-commands.ts';
import { createLeavableTerminal, takeDetachment } from './driving/detached-terminal.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { withRepo } from './output/command-text.ts';
import { createTerminal, type Terminal } from './output/terminal.ts';
import { watchReaders } from './readers.ts';
import { describeUsage, expandHelp } from './usage-error.ts';

export interface ProgramDeps {
  readonly version: string;
  /** Loads the adapters; called by the first verb that needs them. */
  readonly services: () => Promise<Services>;
}

interface CommonOptions {
  readonly json?: true;
  readonly repo?: string;
  readonly trust?: true;
}

const NO_INPUT = '--no-input';

/** Runs one command line and returns its exit code. Prints an error that the user can fix as a message and its help. */
export async function runCommandLine(argv: readonly string[], deps: ProgramDeps): Promise<ExitCode> {
  // Removed before parsing: commander would treat it as the negation of `--input`.
  const noInput = argv.includes(NO_INPUT);
  let code: ExitCode = EXIT.success;
  let context: VerbContext | null = null;
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
    const { terminal, leave } = createLeavableTerminal(openTerminal(noInput));
    context = {
      terminal,
      services: deps.services,
      json: common.json === true,
      startDir: resolve(common.repo ?? '.'),
      repo: common.repo ?? null,
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
    const { message, help } = describeUsage(error, program, words);
    if (json) fallback.out(errorDocument(message, help));
    return EXIT.usage;
  }
}

function reportError(
  error: unknown,
  context: VerbContext | null,
  fallback: Terminal,
  json: boolean,
): ExitCode {
  const terminal = context?.terminal ?? fallback;
  const known = error instanceof CliError || isExpectedFailure(error);
  const { message } = tellFailure(error);
  const hint = hintFor(error);
  const help = hint === null ? null : withRepo(hint, context?.repo ?? null);
  if (json) terminal.out(errorDocument(message, help));
  const prefix = known ? 'conductor:' : 'conductor: internal error:';
  const width = terminal.live ? terminal.columns() : Number.POSITIVE_INFINITY;
  const lines = [
    `${terminal.paint.red(prefix)} ${message}`,
    ...(help === null ? [] : [`  ${terminal.paint.dim('help:')} ${help}`]),
  ];
  for (const line of lines.flatMap((each) => wrapLine(each, width))) terminal.err(`${line}\n`);
  if (!known && process.env.CONDUCTOR_DEBUG === '1' && error instanceof Error)
    terminal.err(`${error.stack}\n`);
  return error instanceof CliError ? error.exitCode : EXIT.failed;
}

function hintFor(error: unknown): string | null {
  if (error instanceof CliError) return error.help;
  return isExpectedFailure(error)
    ? `nothing that is on record is lost; ${tellFailure(error).wayOut ?? 'fix this'}, then try again`
    : 'this is a defect of conductor; CONDUCTOR_DEBUG=1 shows where';
}

function errorDocument(message: string, help: string | null): string {
  const document = { schema_version: JSON_SCHEMA_VERSION, ok: false, error: { message, help } };
  return `${formatJson(document)}\n`;
}

type Dispatch = (action: Action, args: string[], options: Readonly<Record<string, unknown>>) => Promise<void>;

function createProgram(version: string, dispatch: Dispatch): Command {
  const program = new Command('conductor')
    .description('Drives coding agents through workflows, and believes evidence, not words.')
    .version(version, '-V, --version')
    .exitOverride()
    .showHelpAfterError('(conductor --help lists the verbs)')
    .configureHelp({ subcommandTerm: formatTerm })
    .configureOutput({
      outputError: (text, write) => write(neutralise(text.replace(/^error: /, 'conductor: '))),
    })
    .addHelpText('after', '\nExample:\n  $ conductor demo\n');

  const verb = createAddVerb(program, 'conductor', dispatch);
  const group: VerbGroup = (name, description, example) =>
    createAddVerb(addGroupCommand(program, name, description, example), `conductor ${name}`, dispatch);
  // `--help` lists the groups in this order.
  program.commandsGroup('Get started:').helpCommand('help [verb]', 'how a verb is used');
  addStartVerbs(verb);
  addAgentVerbs(group);
  program.commandsGroup('Write workflows:');
  addWorkflowVerbs(verb);
  program.commandsGroup('Run a workflow:');
  addRunVerbs(verb);
  program.commandsGroup('Answer gates:');
  addGateVerbs(verb);
  program.commandsGroup('Look at runs:');
  addLookVerbs(verb);
  addRecordVerbs(verb);
  program.commandsGroup('Restore and clean up:');
  addUpkeepVerbs(verb, group);
  program.commandsGroup('Plan and dispatch work items:');
  addWorkVerbs(group);
  program.commandsGroup('Plumbing:');
  addPlannerVerbs(verb);
  addPolicyVerbs(group);
  addContractVerbs(group);
  addScopeVerbs(verb);
  addHarnessVerbs(group);
  addToolVerbs(verb, program);
  return program;
}

/** A verb with its arguments, but without `[options]`, which every verb has. */
function formatTerm(command: Command): string {
  return `${command.name()} ${command.usage().replace('[options]', '')}`.replace(/ +/g, ' ').trim();
}

/** Returns a function that registers verbs below a command; `prefix` precedes their names in messages. */
function createAddVerb(parent: Command, prefix: string, dispatch: Dispatch): AddVerb {
  return (usage, description, example, action) => {
    const needsRun = usage.includes(' <run>');
    // Optional for commander, which would only refuse a missing run; conductor also lists the existing ones.
    const command = addCommonOptions(parent.command(usage.replace(' <run>', ' [run]')))
      .description(description)
      .showHelpAfterError(`(${prefix} ${usage.split(' ')[0]} --help shows how it is used)`)
      .exitOverride()
      .addHelpText('after', `\nWith --no-input nothing is ever asked.\n\nExample:\n  $ ${example}\n`);
    if (needsRun) command.usage(`[options] ${usage.slice(usage.indexOf('<run>'))}`);
    command.action((...received: unknown[]) => {
      const positional = received
        .slice(0, -2)
        .flat()
        .filter((value) => typeof value === 'string');
      const run =
        needsRun && positional.length === 0 ? refuseWithoutRun(`${prefix} ${command.name()}`) : action;
      return dispatch(run, positional, command.optsWithGlobals());
    });
    return command;
  };
}

function refuseWithoutRun(command: string): Action {
  return async (context) => {
    const { listAvailableRuns } = await import('./driving/available-runs.ts');
    return listAvailableRuns(context, command);
  };
}

/** A verb with actions. The common options may also precede the action. */
function addGroupCommand(program: Command, name: string, description: string, example: string): Command {
  return addCommonOptions(program.command(name))
    .description(description)
    .usage('<action> [options]')
    .commandsGroup('Actions:')
    .helpCommand('help [action]', 'how an action is used')
    .showHelpAfterError(`(conductor ${name} --help lists the actions)`)
    .exitOverride()
    .addHelpText('after', `\nExample:\n  $ ${example}\n`);
}

function addCommonOptions(command: Command): Command {
  return command
    .option('--json', 'print one JSON document on stdout')
    .option('--repo <dir>', 'the repository to work in (default: the current folder)');
}
