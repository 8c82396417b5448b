import type { Services } from '../../runtime/services.ts';
import { formatJson } from '../../text/outside-text.ts';
import type { Readers } from './readers.ts';
import type { Terminal } from './terminal.ts';

/** What every verb gets besides its own arguments. */
export interface VerbContext extends Readers {
  readonly terminal: Terminal;
  readonly services: () => Promise<Services>;
  readonly json: boolean;
  /** Where to look for the repository: `--repo`, else the current folder. */
  readonly startDir: string;
  /** `--repo` as it was given: commands to copy keep it. */
  readonly repo: string | null;
  readonly version: string;
  /** `--trust`: says yes to what the command would execute because of the repository's files. */
  readonly isTrustGiven?: boolean;
  /** In a process of its own: from now on all it says goes to this file. Null in any other. */
  readonly leaveTerminal: ((logPath: string) => void) | null;
}

export const JSON_SCHEMA_VERSION = 1;

export function printJson(context: VerbContext, document: Readonly<Record<string, unknown>>): void {
  context.terminal.out(`${formatJson({ schema_version: JSON_SCHEMA_VERSION, ...document })}\n`);
}
