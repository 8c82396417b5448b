import { openSync, writeSync } from 'node:fs';
import { DETACHED_VARIABLE } from '../../../contracts/run/detached-process.ts';
import type { CommandContext } from '../command-context.ts';
import type { Terminal } from '../output/terminal.ts';

/** The log of a detached process from the moment its run exists, relative to the run directory. */
export const DETACHED_LOG = 'logs/conductor.log';

/** Whether this process was started by `--detach`. Unsets the variable, so that child processes don't inherit it. */
export function takeDetachment(env: NodeJS.ProcessEnv): boolean {
  const detached = env[DETACHED_VARIABLE] === '1';
  delete env[DETACHED_VARIABLE];
  // The terminal that started this process may close at any time; the run must continue.
  if (detached) process.on('SIGHUP', () => {});
  return detached;
}

/** A terminal whose output can be redirected to a log file. Ignores errors of that file: they must not fail the run. */
export function createDetachableTerminal(terminal: Terminal): {
  readonly terminal: Terminal;
  readonly leave: (logPath: string) => void;
} {
  let log: number | null = null;
  const writeLog = (text: string | Uint8Array) => {
    try {
      if (log !== null) writeSync(log, typeof text === 'string' ? Buffer.from(text) : text);
    } catch {
      // A full disk must not fail the run because of its log.
    }
  };
  return {
    terminal: {
      ...terminal,
      out: (text) => (log === null ? terminal.out(text) : writeLog(text)),
      err: (text) => (log === null ? terminal.err(text) : writeLog(text)),
      page: async (text) => (log === null ? terminal.page(text) : writeLog(text)),
    },
    leave: (logPath) => {
      try {
        log = openSync(logPath, 'a');
      } catch {
        return;
      }
      process.on('uncaughtExceptionMonitor', (error) => writeLog(`${error.stack ?? error.message}\n`));
    },
  };
}

/** In a detached process: reports the run id to the parent process, then redirects all output to the run's log. */
export function announceDetached(context: CommandContext, runId: string, runDirectory: string): void {
  if (context.leaveTerminal === null) return;
  context.terminal.out(`${runId}\n`);
  context.leaveTerminal(`${runDirectory}/${DETACHED_LOG}`);
}
