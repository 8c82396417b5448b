import type { Services } from '../../app/services.ts';
import { formatJson } from '../../text/outside-text.ts';
import type { Terminal } from './output/terminal.ts';
import type { Readers } from './readers.ts';

/** The context that every command receives besides its own arguments. */
export interface VerbContext extends Readers {
  readonly terminal: Terminal;
  readonly services: () => Promise<Services>;
  readonly json: boolean;
  /** Where to look for the repository: `--repo`, else the current folder. */
  readonly startDir: string;
  /** `--repo` as the user gave it, for the command lines that a message suggests. */
  readonly repo: string | null;
  readonly version: string;
  /** `--trust`: the user trusts the repository with what the command executes. */
  readonly isTrustGiven?: boolean;
  /** In a detached process: redirects all further output to this file. Null in any other process. */
  readonly leaveTerminal: ((logPath: string) => void) | null;
}

export const JSON_SCHEMA_VERSION = 1;

export function printJson(context: VerbContext, document: Readonly<Record<string, unknown>>): void {
  context.terminal.out(`${formatJson({ schema_version: JSON_SCHEMA_VERSION, ...document })}\n`);
}
