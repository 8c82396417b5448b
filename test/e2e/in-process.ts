import { Readable, Writable } from 'node:stream';
import { vi } from 'vitest';
import { runCommandLine } from '../../src/surfaces/cli/program.ts';
import { createServices } from '../../src/wiring.ts';
import { type CliOptions, type CliResult, environmentOf } from '../../testing/cli.ts';

const VERSION = '0.0.0';

/**
 * A command line in this process: the real entry point and services, without the time that a process takes to start.
 * It takes the place of environment, folder and streams of this process, so one test at a time can use it.
 */
export async function runInProcess(
  args: readonly string[],
  options: CliOptions,
): Promise<Pick<CliResult, 'code' | 'stdout' | 'stderr'>> {
  const [stdout, stderr] = [keepWritten(), keepWritten()];
  const [env, cwd] = [process.env, process.cwd()];
  const streams = [
    vi.spyOn(process, 'stdin', 'get').mockReturnValue(Readable.from([]) as typeof process.stdin),
    vi.spyOn(process, 'stdout', 'get').mockReturnValue(stdout.stream as typeof process.stdout),
    vi.spyOn(process, 'stderr', 'get').mockReturnValue(stderr.stream as typeof process.stderr),
  ];
  process.env = environmentOf(options);
  process.chdir(options.cwd);
  try {
    const services = () => Promise.resolve(createServices(VERSION));
    const code = await runCommandLine(args, { version: VERSION, services });
    return { code, stdout: stdout.text(), stderr: stderr.text() };
  } finally {
    process.chdir(cwd);
    process.env = env;
    for (const stream of streams) stream.mockRestore();
  }
}

function keepWritten(): { readonly stream: Writable; readonly text: () => string } {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      chunks.push(chunk);
      done();
    },
  });
  return { stream, text: () => Buffer.concat(chunks).toString('utf8') };
}
