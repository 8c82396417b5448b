import type { Services } from '../../runtime/services.ts';
import type { Terminal } from './terminal.ts';

/** What every verb gets besides its own arguments. */
export interface VerbContext {
  readonly terminal: Terminal;
  readonly services: () => Promise<Services>;
  readonly json: boolean;
  /** Where to look for the repository: `--repo`, else the current folder. */
  readonly startDir: string;
  readonly version: string;
  /** From now on a reader that leaves does not end this process: a run depends on it. */
  readonly keepRunning: () => void;
}

export const JSON_SCHEMA_VERSION = 1;

export function printJson(context: VerbContext, document: Readonly<Record<string, unknown>>): void {
  context.terminal.out(`${JSON.stringify({ schema_version: JSON_SCHEMA_VERSION, ...document }, null, 2)}\n`);
}
