import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The command as it is shipped; `npm test` builds it first. */
export const COMMAND = fileURLToPath(new URL('../dist/bin/conductor.js', import.meta.url));

export interface CliResult {
  /** Null when a signal ended it. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Standard output as it came, for what may not be UTF-8. */
  readonly bytes: Uint8Array;
}

export interface StartedCli {
  readonly pid: number;
  readonly done: Promise<CliResult>;
  /** What it has printed so far. */
  readonly stdout: () => string;
  readonly stderr: () => string;
  readonly kill: (signal: NodeJS.Signals) => void;
  /** Closes our end of its output, as a pager does that is left early. */
  readonly closeOutput: () => void;
}

export interface CliOptions {
  readonly cwd: string;
  /** An empty folder in place of the user's home. */
  readonly home: string;
  readonly env?: Readonly<Record<string, string>>;
  /** A program, with its words, that starts the command. */
  readonly through?: readonly string[];
}

export interface Cli {
  readonly run: (args: readonly string[], change?: Partial<CliOptions>) => Promise<CliResult>;
  readonly start: (args: readonly string[], change?: Partial<CliOptions>) => StartedCli;
  /** Ends what is still running, for tests that failed half way. */
  readonly endAll: () => Promise<void>;
}

/** The command as a user without any configuration runs it: no CI, no colour setting, no git setup. */
export function createCli(options: CliOptions): Cli {
  if (!existsSync(COMMAND)) throw new Error(`${COMMAND} is not built: run npm run build`);
  const started: StartedCli[] = [];
  const start: Cli['start'] = (args, change = {}) => {
    const env = { ...options.env, ...change.env };
    const cli = startCommand(args, { ...options, ...change, env });
    started.push(cli);
    return cli;
  };
  return {
    start,
    run: (args, change) => start(args, change).done,
    endAll: async () => {
      for (const cli of started) cli.kill('SIGKILL');
      await Promise.all(started.map((cli) => cli.done));
    },
  };
}

function startCommand(args: readonly string[], options: CliOptions): StartedCli {
  const [program = process.execPath, ...words] = [
    ...(options.through ?? []),
    process.execPath,
    COMMAND,
    ...args,
  ];
  const child = spawn(program, words, {
    cwd: options.cwd,
    env: environmentOf(options),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const stdout = collect(child.stdout);
  const stderr = collect(child.stderr);
  if (child.pid === undefined) throw new Error('the command could not be started');
  return {
    pid: child.pid,
    stdout: stdout.text,
    stderr: stderr.text,
    done: ended(child, stdout, stderr),
    kill: (signal) => {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    },
    closeOutput: () => {
      child.stdout.destroy();
      child.stderr.destroy();
    },
  };
}

/** The environment of the command: none of the variables that the tests themselves run with. */
export function environmentOf({ home, env }: CliOptions): NodeJS.ProcessEnv {
  return {
    PATH: process.env.PATH,
    HOME: home,
    XDG_CONFIG_HOME: `${home}/.config`,
    LANG: 'C.UTF-8',
    GIT_CONFIG_NOSYSTEM: '1',
    // The person trusts what a test wrote; tests about trust take this away.
    CONDUCTOR_TRUST: '1',
    ...env,
  };
}

interface Collected {
  readonly bytes: () => Buffer;
  readonly text: () => string;
}

function collect(stream: NodeJS.ReadableStream): Collected {
  const chunks: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  const bytes = () => Buffer.concat(chunks);
  return { bytes, text: () => bytes().toString('utf8') };
}

async function ended(child: ChildProcess, stdout: Collected, stderr: Collected): Promise<CliResult> {
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  return { code, signal, stdout: stdout.text(), stderr: stderr.text(), bytes: stdout.bytes() };
}
