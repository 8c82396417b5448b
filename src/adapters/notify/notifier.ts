import { spawn } from 'node:child_process';

/** Kills a notification command that hangs, so that it can't keep this process alive. */
const NOTIFY_LIMIT_MS = 10_000;

/**
 * Calls the configured command with one JSON event on standard input, one call at a time. Errors are ignored, and the
 * caller doesn't wait.
 */
export function createNotifier(
  command: readonly [string, ...string[]],
  cwd: string,
  env: Readonly<Record<string, string>>,
): (event: unknown) => void {
  let last = Promise.resolve();
  return (event) => {
    last = last.then(() => runCommand(command, { cwd, env }, event)).catch(() => {});
  };
}

function runCommand(
  [program, ...args]: readonly [string, ...string[]],
  place: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
  event: unknown,
): Promise<void> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { ...place, detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
    const limit = setTimeout(() => {
      endGroup(child.pid);
      resolve();
    }, NOTIFY_LIMIT_MS);
    const done = () => {
      clearTimeout(limit);
      resolve();
    };
    child.on('error', done);
    child.on('close', done);
    child.stdin.on('error', () => {});
    child.stdin.end(`${JSON.stringify(event)}\n`);
  });
}

function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // The process has already ended.
  }
}
