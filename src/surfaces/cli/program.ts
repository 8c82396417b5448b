import { resolve } from 'node:path';
import { Command, CommanderError } from 'commander';
import { isExpectedFailure, tellFailure } from '../../contracts/expected-failure.ts';
import type { Services } from '../../runtime/services.ts';
import { formatJson, neutralise } from '../../text/outside-text.ts';
import type { Action, AddVerb } from './add-verb.ts';
import { addAgentVerbs } from './agent-verbs.ts';
import { CliError } from './cli-error.ts';
import { withRepo } from './command-text.ts';
import { createLeavableTerminal, takeDetachment } from './detached-terminal.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { addHarnessVerbs } from './harness-verbs.ts';
import { dollars, number, oneOf, optional, text, wallClock, wholeCount } from './option-values.ts';
import { addPlannerVerbs } from './planner-verbs.ts';
import { addPolicyVerbs } from './policy-verbs.ts';
import { watchReaders } from './readers.ts';
import { addRecordVerbs } from './record-verbs.ts';
import { addLookVerbs, addRunVerbs } from './run-verbs.ts';
import { addScopeVerbs } from './scope-verbs.ts';
import { createTerminal, type Terminal } from './terminal.ts';
import { addUpkeepVerbs } from './upkeep-verbs.ts';
import { describeUsage, expandHelp } from './usage-error.ts';
import { JSON_SCHEMA_VERSION, type VerbContext } from './verb.ts';
import type { GraphFormat } from './verbs/graph.ts';
import type { ValidateFormat } from './verbs/validate.ts';
import { addContractVerb, addWorkVerbs } from './work-verbs.ts';

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
const GRAPH_FORMATS: readonly GraphFormat[] = ['mermaid', 'dot', 'svg'];
const VALIDATE_FORMATS: readonly ValidateFormat[] = ['human', 'json', 'sarif', 'github'];

/** Runs one command line and gives its exit code. Errors a person can mend are one line and a way out. */
export async function runCommandLine(argv: readonly string[], deps: ProgramDeps): Promise<ExitCode> {
  // Taken out by hand: commander would read it as the negation of `--input`.
  const noInput = argv.includes(NO_INPUT);
  let code: ExitCode = EXIT.success;
  let context: VerbContext | null = null;
  const terminalOf = (noInput: boolean): Terminal =>
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
    const { terminal, leave } = createLeavableTerminal(terminalOf(noInput));
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
    const fallback = terminalOf(true);
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
  terminal.err(`${terminal.paint.red(prefix)} ${message}\n`);
  if (help !== null) terminal.err(`  ${terminal.paint.dim('help:')} ${help}\n`);
  if (!known && process.env.CONDUCTOR_DEBUG === '1' && error instanceof Error)
    terminal.err(`${error.stack}\n`);
  return error instanceof CliError ? error.exitCode : EXIT.failed;
}

function hintFor(error: unknown): string | null {
  if (error instanceof CliError) return error.help;
  return isExpectedFailure(error)
    ? `nothing that is on record is lost; ${tellFailure(error).wayOut ?? 'mend this'}, then try again`
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
    .helpCommand('help [verb]', 'how a verb is used')
    .configureOutput({
      outputError: (text, write) => write(neutralise(text.replace(/^error: /, 'conductor: '))),
    })
    .addHelpText('after', '\nExample:\n  $ conductor demo\n');

  const verb = verbsOf(program, 'conductor', dispatch);
  addRunVerbs(verb);
  addLookVerbs(verb);
  addRecordVerbs(verb);
  addUpkeepVerbs(verb);
  addPlannerVerbs(verb);
  addPolicyVerbs(verb);
  addContractVerb(verb);
  addWorkVerbs(verbsOf(workCommand(program), 'conductor work', dispatch));
  addScopeVerbs(verb);
  addHarnessVerbs(verb);
  addAgentVerbs(verb);
  addSetupVerbs(verb, program);
  return program;
}

/** Adds verbs below a command; the words before theirs stand in what is said about them. */
function verbsOf(parent: Command, words: string, dispatch: Dispatch): AddVerb {
  return (usage, description, example, action) => {
    const command = commonOptions(parent.command(usage))
      .description(description)
      .showHelpAfterError(`(${words} ${usage.split(' ')[0]} --help shows how it is used)`)
      .exitOverride()
      .addHelpText('after', `\nWith --no-input nothing is ever asked.\n\nExample:\n  $ ${example}\n`);
    command.action((...received: unknown[]) => {
      const positional = received
        .slice(0, -2)
        .flat()
        .filter((value) => typeof value === 'string');
      return dispatch(action, positional, command.optsWithGlobals());
    });
    return command;
  };
}

/** A verb whose first word says what is done. Flags may stand before that word too. */
function workCommand(program: Command): Command {
  return commonOptions(program.command('work'))
    .description('work items: plan, list, show, dispatch, review, merge, watch and more')
    .usage('<action> [options]')
    .showHelpAfterError('(conductor work --help lists the actions)')
    .exitOverride()
    .addHelpText('after', '\nExample:\n  $ conductor work list\n');
}

function commonOptions(command: Command): Command {
  return command
    .option('--json', 'print one JSON document on stdout')
    .option('--repo <dir>', 'the repository to work in (default: the current folder)');
}

function addSetupVerbs(verb: AddVerb, program: Command): void {
  verb(
    'init',
    'make .tnh/ with a configuration and a first workflow; never overwrites',
    'conductor init',
    async (context) => {
      const { init } = await import('./verbs/init.ts');
      return init(context);
    },
  );
  verb(
    'validate <files...>',
    'check workflows before anything runs; configurations, policies, suites and prompts too',
    'conductor validate .tnh/workflows/implement.yaml',
    async (context, files, options) => {
      const { validate } = await import('./verbs/validate.ts');
      return validate(context, files, context.json ? 'json' : (options.format as ValidateFormat), {
        prove: options.prove === true,
        caps: {
          agentRuns: number(options.maxAgentRuns),
          wallMs: number(options.maxWall),
          costUsd: number(options.maxCost),
        },
      });
    },
  )
    .option('--format <format>', VALIDATE_FORMATS.join(', '), oneOf(VALIDATE_FORMATS), 'human')
    .option('--prove', 'prove what holds on every way through the workflow, and bound the worst case')
    .option('--max-agent-runs <n>', 'fail when a run can start more agents', wholeCount)
    .option('--max-wall <duration>', 'fail when a run can take longer, such as 90s, 15m, 2h, 3d', wallClock)
    .option('--max-cost <usd>', 'fail when a run can cost more', dollars);
  verb(
    'explain <code>',
    'what a diagnostic means, with an example that fails and one that passes',
    'conductor explain WF007',
    async (context, [code]) => {
      const { explain } = await import('./verbs/explain.ts');
      return explain(context, text(code));
    },
  );
  verb(
    'schema [name]',
    'a JSON Schema, for editors and other tools; without a name, the list',
    'conductor schema workflow',
    async (context, [name]) => {
      const { schema } = await import('./verbs/schema.ts');
      return schema(context, name ?? null);
    },
  );
  verb(
    'graph <file>',
    'a picture of a workflow',
    'conductor graph .tnh/workflows/implement.yaml --format svg > implement.svg',
    async (context, [file], options) => {
      const { graph } = await import('./verbs/graph.ts');
      return graph(context, text(file), options.format as GraphFormat);
    },
  ).option('--format <format>', GRAPH_FORMATS.join(', '), oneOf(GRAPH_FORMATS), 'mermaid');
  verb(
    'crashtest <workflow>',
    'kill a workflow at every event, with scripted steps, and compare the ends; starts no agent',
    'conductor crashtest .tnh/workflows/implement.yaml',
    async (context, [workflow], options) => {
      const { crashtest } = await import('./verbs/crashtest.ts');
      const { seed, script } = options;
      return crashtest(context, text(workflow), { seed: number(seed) ?? 1, script: optional(script) });
    },
  )
    .option('--seed <n>', 'where lines are torn, and which scripts when there are many', wholeCount, 1)
    .option('--script <name>', 'only the script of this name');
  verb(
    'trust',
    'show what this repository may execute, and trust it with that',
    'conductor trust',
    async (context, _args, options) => {
      const { trust } = await import('./verbs/trust.ts');
      return trust(context, { list: options.list === true, revoke: options.revoke === true });
    },
  )
    .option('--list', 'list the repositories that you trust')
    .option('--revoke', 'trust this repository no longer');
  verb('doctor', 'what is there, what is missing, what to do', 'conductor doctor', async (context) => {
    const { doctor } = await import('./verbs/doctor.ts');
    return doctor(context);
  });
  verb(
    'demo',
    'a whole run on a throw-away repository, without network or keys',
    'conductor demo --yes',
    async (context, _args, options) => {
      const { demo } = await import('./verbs/demo.ts');
      return demo(context, options.yes === true);
    },
  ).option('--yes', 'approve the gate without asking');
  verb(
    'completion <shell>',
    'a completion script for bash, zsh or fish',
    'conductor completion bash > ~/.local/share/bash-completion/completions/conductor',
    async (context, [shell]) => {
      const { completion } = await import('./verbs/completion.ts');
      return Promise.resolve(completion(context, text(shell), program));
    },
  );
}
