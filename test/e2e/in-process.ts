import { Readable, Writable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { vi } from 'vitest';
import type { Services } from '../../src/app/services.ts';
import { runCommandLine } from '../../src/surfaces/cli/program.ts';
import { createServices } from '../../src/wiring.ts';
import {
  type Cli,
  type CliOptions,
  type CliResult,
  COMMAND,
  createCli,
  environmentOf,
} from '../../testing/cli.ts';

const VERSION = '0.0.0';

/** How long a command waits for the one before it, which a test that failed may have left hanging. */
const PATIENCE_MS = 180_000;

export interface InProcessOptions extends CliOptions {
  /** Output goes to a terminal of this width, as far as the command can see. */
  readonly columns?: number;
  /** Changes the services that the command gets. */
  readonly changeServices?: (services: Services) => Services;
}

interface Turn {
  readonly commandLine: string;
  readonly ended: Promise<unknown>;
}

let last: Turn = { commandLine: '', ended: Promise.resolve() };
/** The command that hangs: what waited for it failed, and so does everything that comes later, at once. */
let hanging: string | null = null;

/**
 * A command line in this process: the real entry point and services, without the time that a process takes to start.
 * It takes the place of environment, arguments, folder and streams of this process, so one command runs at a time and
 * the next waits for it.
 */
export function runInProcess(args: readonly string[], options: InProcessOptions): Promise<CliResult> {
  const command = waitFor(last).then(() => runNow(args, options));
  last = { commandLine: args.join(' '), ended: command.catch(() => {}) };
  return command;
}

async function waitFor({ commandLine, ended }: Turn): Promise<void> {
  const limit = new AbortController();
  const hangs = pause(hanging === null ? PATIENCE_MS : 0, true, { signal: limit.signal }).catch(() => false);
  if ((await Promise.race([ended, hangs])) === true) hanging ??= commandLine;
  limit.abort();
  if (hanging !== null) throw new Error(`the command ${hanging} of an earlier test has not ended`);
}

/** As the built command, but `run` takes place in this process. What `start` starts is a process of its own. */
export function createCliInProcess(options: CliOptions): Cli {
  const built = createCli(options);
  return {
    ...built,
    run: (args, change = {}) =>
      change.through === undefined
        ? runInProcess(args, { ...options, ...change, env: { ...options.env, ...change.env } })
        : built.run(args, change),
  };
}

async function runNow(args: readonly string[], options: InProcessOptions): Promise<CliResult> {
  const [stdout, stderr] = [keepWritten(options.columns), keepWritten(options.columns)];
  const [env, cwd, argv] = [process.env, process.cwd(), process.argv];
  const streams = [
    vi.spyOn(process, 'stdin', 'get').mockReturnValue(Readable.from([]) as typeof process.stdin),
    vi.spyOn(process, 'stdout', 'get').mockReturnValue(stdout.stream as typeof process.stdout),
    vi.spyOn(process, 'stderr', 'get').mockReturnValue(stderr.stream as typeof process.stderr),
  ];
  process.env = environmentOf(options);
  process.argv = [process.execPath, COMMAND, ...args];
  process.chdir(options.cwd);
  try {
    const change = options.changeServices ?? ((services: Services) => services);
    const services = () => Promise.resolve(change(createServices(VERSION)));
    const code = await runCommandLine(args, { version: VERSION, services });
    const bytes = stdout.bytes();
    return {
      code,
      signal: null,
      stdout: bytes.toString('utf8'),
      stderr: stderr.bytes().toString('utf8'),
      bytes,
    };
  } finally {
    process.chdir(cwd);
    process.argv = argv;
    process.env = env;
    for (const stream of streams) stream.mockRestore();
  }
}

function keepWritten(columns: number | undefined): {
  readonly stream: Writable;
  readonly bytes: () => Buffer;
} {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      chunks.push(chunk);
      done();
    },
  });
  if (columns !== undefined) Object.assign(stream, { isTTY: true, columns });
  return { stream, bytes: () => Buffer.concat(chunks) };
}
