import { spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { DETACHED_VARIABLE } from '../../../contracts/run/detached-process.ts';
import { CliError } from '../cli-error.ts';
import type { CommandContext } from '../command-context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';

export type Detached =
  | { readonly ok: true; readonly runId: string; readonly pid: number }
  /** The process exited before it created a run; its output has been printed. */
  | { readonly ok: false; readonly code: ExitCode };

/**
 * Starts this command again in a new session, and detaches from that process once its run exists. The process reports
 * the run id as the first line of its standard output.
 */
export function startDetached(context: CommandContext, args: readonly string[]): Promise<Detached> {
  const [, script = ''] = process.argv;
  const child = spawn(process.execPath, [...process.execArgv, script, ...args, '--no-input'], {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, [DETACHED_VARIABLE]: '1' },
  });
  const stop = () => child.kill('SIGTERM');
  process.on('SIGINT', stop);
  const output = { out: collectOutput(child.stdout), err: collectOutput(child.stderr) };
  return new Promise<Detached>((resolve, reject) => {
    child.on('error', (error) =>
      reject(new CliError(`the background process can't be started: ${error.message}`, null, EXIT.failed)),
    );
    child.stdout.on('data', () => {
      const [, runId] = /^([0-9a-f-]{36})\n/.exec(output.out()) ?? [];
      if (runId === undefined || child.pid === undefined) return;
      // The run exists, so the exit code of the process is no longer the result of this command.
      child.removeAllListeners('close');
      child.stdout.destroy();
      child.stderr.destroy();
      child.unref();
      resolve({ ok: true, runId, pid: child.pid });
    });
    child.on('close', (code, signal) => {
      context.terminal.out(output.out());
      context.terminal.err(output.err());
      if (signal !== null)
        reject(
          new CliError(`${signal} ended the background process before it created the run`, null, EXIT.failed),
        );
      const known = Object.values(EXIT).find((each) => each === code);
      resolve({ ok: false, code: known === undefined || known === EXIT.success ? EXIT.failed : known });
    });
  }).finally(() => process.off('SIGINT', stop));
}

function collectOutput(stream: Readable): () => string {
  const decoder = new StringDecoder('utf8');
  let text = '';
  stream.on('data', (chunk: Buffer) => {
    text += decoder.write(chunk);
  });
  return () => text;
}
