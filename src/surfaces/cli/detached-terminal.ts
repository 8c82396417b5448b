import { openSync, writeSync } from 'node:fs';
import type { Terminal } from './terminal.ts';
import type { VerbContext } from './verb.ts';

/** Tells a process that it was started by `--detach`; meant for nobody else. */
export const DETACHED_VARIABLE = 'CONDUCTOR_DETACHED';

/** Where a detached process writes once its run is there, relative to the run directory. */
export const DETACHED_LOG = 'logs/conductor.log';

/** Whether this process was started by `--detach`. What it starts in turn was not. */
export function takeDetachment(env: NodeJS.ProcessEnv): boolean {
  const detached = env[DETACHED_VARIABLE] === '1';
  delete env[DETACHED_VARIABLE];
  // Its terminal may close at any time, and that is not its business.
  if (detached) process.on('SIGHUP', () => {});
  return detached;
}

/** A terminal that can be left for a file. What goes wrong with the file is not the run's business either. */
export function createLeavableTerminal(terminal: Terminal): {
  readonly terminal: Terminal;
  readonly leave: (logPath: string) => void;
} {
  let log: number | null = null;
  const keep = (text: string | Uint8Array) => {
    try {
      if (log !== null) writeSync(log, typeof text === 'string' ? Buffer.from(text) : text);
    } catch {
      // A full disk must not end a run for the sake of its log.
    }
  };
  return {
    terminal: {
      ...terminal,
      out: (text) => (log === null ? terminal.out(text) : keep(text)),
      err: (text) => (log === null ? terminal.err(text) : keep(text)),
    },
    leave: (logPath) => {
      try {
        log = openSync(logPath, 'a');
      } catch {
        return;
      }
      process.on('uncaughtExceptionMonitor', (error) => keep(`${error.stack ?? error.message}\n`));
    },
  };
}

/** In a detached process: says that the run is there, and leaves the terminal for the run's own log. */
export function announceDetached(context: VerbContext, runId: string, runDirectory: string): void {
  if (context.leaveTerminal === null) return;
  context.terminal.out(`${runId}\n`);
  context.leaveTerminal(`${runDirectory}/${DETACHED_LOG}`);
}
