import { type ChildProcess, spawn } from 'node:child_process';
import { ATTENDED_VARIABLE, DETACHED_VARIABLE } from '../../contracts/run/detached-process.ts';
import type { BackgroundEnd, BackgroundPrograms } from '../../ports/background-programs.ts';

/** How much of the errors is kept. */
const MESSAGE_LENGTH = 4_096;

/** `program`: the arguments that start conductor with this Node. */
export function createBackgroundPrograms(program: readonly string[]): BackgroundPrograms {
  const start = (args: readonly string[], variable: string, stdin: 'ignore' | 'pipe') =>
    spawn(process.execPath, [...program, ...args, '--no-input'], {
      // A session of its own: Ctrl-C in the terminal of this process does not reach it.
      detached: true,
      stdio: [stdin, 'ignore', 'pipe'],
      env: { ...process.env, [variable]: '1' },
    });
  return {
    // Once the run is open, the process writes to the log of the run instead of to its standard error.
    resume: (repoRoot, runId) =>
      awaitEnd(start(['resume', runId, '--repo', repoRoot], DETACHED_VARIABLE, 'ignore')),
    watchWork: (repoRoot, signal) => {
      const child = start(['work', 'watch', '--repo', repoRoot], ATTENDED_VARIABLE, 'pipe');
      const stop = () => child.stdin?.end();
      signal.addEventListener('abort', stop, { once: true });
      return awaitEnd(child).finally(() => signal.removeEventListener('abort', stop));
    },
  };
}

function awaitEnd(child: ChildProcess): Promise<BackgroundEnd> {
  let message = '';
  child.stderr?.setEncoding('utf8');
  child.stderr?.on('data', (text: string) => {
    message = `${message}${text}`.slice(-MESSAGE_LENGTH);
  });
  // It belongs to nobody: this process may end before it.
  child.unref();
  return new Promise((resolve) => {
    child.on('error', (error) => resolve({ code: null, message: error.message }));
    child.on('close', (code) => resolve({ code, message: message.trim() }));
  });
}
