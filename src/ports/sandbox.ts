import type { Network } from '../contracts/policy.ts';

/** Shuts a process in, so that it can reach no more than it was given. */
export interface Sandbox {
  /** Shown in the policy summary: `bubblewrap`. */
  readonly name: string;
  /** The command line that runs the program shut in. */
  readonly enclose: (
    argv: readonly [string, ...string[]],
    cwd: string,
    confinement: Confinement,
  ) => Promise<readonly [string, ...string[]]>;
}

/**
 * What a process gets of the machine. The system is there to be read; homes, temporary folders and run-time sockets
 * are replaced by empty ones of its own; the rest is said here. Paths are absolute; what is not there is passed over.
 */
export interface Confinement {
  /** May be written. */
  readonly writable: readonly string[];
  /** Shown to be read, although what lies around it is hidden or may be written. */
  readonly readable: readonly string[];
  /** Folders that are shown empty but for what the other lists name inside them. */
  readonly hidden: readonly string[];
  /** Folders of the run that are seen at another path, to be written: what a program keeps in its home stays with the run. */
  readonly kept?: readonly KeptFolder[];
  readonly network: Network;
  /** A policy denies the network, whatever the configuration of a validator says; left out, none does. */
  readonly networkDenied?: boolean;
}

export interface KeptFolder {
  /** Where the program looks for it; it need not exist outside the sandbox. */
  readonly path: string;
  readonly source: string;
}
