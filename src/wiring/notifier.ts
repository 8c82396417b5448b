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
      const child = spawn(program, args, {
        cwd,
        env,
        stdio: ['pipe', 'ignore', 'ignore'],
        timeout: NOTIFY_LIMIT_MS,
      });
      child.on('error', () => resolve());
      child.on('close', () => resolve());
      child.stdin.on('error', () => {});
      child.stdin.end(`${JSON.stringify(event)}\n`);
    });
}
