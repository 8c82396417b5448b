import { spawn } from 'node:child_process';
import { failPermanently, type SendResult } from '../../notify/retry.ts';

/** Kills a program that hangs, so that it can't keep this process alive. */
const PROGRAM_LIMIT_MS = 10_000;

export interface ProcessPlace {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Starts a program with `input` on its standard input. Exit code 0 means that the
 * notification was sent. A failure is permanent: the program itself knows better when another try makes sense.
 */
export function startProgram(
  [program, ...args]: readonly [string, ...string[]],
  place: ProcessPlace,
  input: string,
  signal: AbortSignal,
): Promise<SendResult> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { ...place, detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
    const end = (result: SendResult) => {
      clearTimeout(limit);
      signal.removeEventListener('abort', onAbort);
      resolve(result);
    };
    const kill = (message: string) => {
      endGroup(child.pid);
      end(failPermanently(message));
    };
    const limit = setTimeout(
      () => kill(`${program} did not end within ${PROGRAM_LIMIT_MS / 1000} s`),
      PROGRAM_LIMIT_MS,
    );
    const onAbort = () => kill(`${program} did not end in time`);
    child.on('error', (error) =>
      end(
        failPermanently(
          `${program} can't be started: ${'code' in error ? String(error.code) : error.message}`,
        ),
      ),
    );
    child.on('close', (code, killedBy) =>
      end(
        code === 0
          ? { ok: true }
          : failPermanently(`${program} ended with ${killedBy ?? `exit code ${String(code)}`}`),
      ),
    );
    child.stdin.on('error', () => {});
    child.stdin.end(input);
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort);
  });
}

function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // The process has already ended.
  }
}
