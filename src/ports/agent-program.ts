import type { AgentConfig } from '../contracts/config/config.ts';

export type ProgramAgent = Exclude<AgentConfig, { kind: 'replay' }>;

/** Finds the program of an agent and, if `mayStart`, its version. Reads no credentials and contacts no provider. */
export type FindAgentProgram = (
  agent: ProgramAgent,
  options: { readonly mayStart: boolean },
) => Promise<AgentProgram>;

export interface AgentProgram {
  /** As configured. */
  readonly program: string;
  /** Null if it isn't on the PATH. */
  readonly path: string | null;
  /** A file at the expected path that isn't executable; null if there is none. */
  readonly notExecutable: string | null;
  /** As the program prints it; null if it prints none or conductor doesn't know the program. */
  readonly version: string | null;
  /** What is wrong with the program, to be read after its path; null if nothing is. */
  readonly problem: string | null;
  /** The version that conductor was tested with, if the installed one is older. */
  readonly testedVersion: string | null;
  /** Whether the user seems to be logged in; null if conductor doesn't know the program. */
  readonly login: boolean | null;
  /** How to install it and how to log in; null if conductor doesn't know the program. */
  readonly install: string | null;
  readonly loginHelp: string | null;
}
