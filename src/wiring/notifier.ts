import { spawn } from 'node:child_process';

/** A notification that hangs must not hold a run. */
const NOTIFY_LIMIT_MS = 10_000;

/** Calls the configured command with one JSON event on standard input. Its failure is nobody's. */
export function createNotifier(
  command: readonly [string, ...string[]],
  cwd: string,
  env: Readonly<Record<string, string>>,
): (event: unknown) => Promise<void> {
  const [program, ...args] = command;
  return (event) =>
    new Promise((resolve) => {
      const child = spawn(program, args, { cwd, env, detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
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
    // It has ended in the meantime.
  }
}
