import type { Network } from '../contracts/documents/policy.ts';

/** Sandboxes a process, so that it can access only what its confinement allows. */
export interface Sandbox {
  /** Shown in the policy summary: `bubblewrap`. */
  readonly name: string;
  /** The command line that runs the program in the sandbox. */
  readonly wrapCommand: (
    argv: readonly [string, ...string[]],
    cwd: string,
    confinement: Confinement,
  ) => Promise<readonly [string, ...string[]]>;
}

/**
 * What a sandboxed process can access. The system is readable; home folders, temporary folders and runtime sockets are
 * replaced by private empty ones; the fields below add to that. Paths are absolute; missing paths are skipped.
 */
export interface Confinement {
  /** Paths that the process may write. */
  readonly writable: readonly string[];
  /** Paths that are read-only, even inside hidden or writable folders. */
  readonly readable: readonly string[];
  /** Folders that appear empty except for paths in the other lists. */
  readonly hidden: readonly string[];
  /** Run folders mounted writable at another path, so that files a program stores in its home stay with the run. */
  readonly kept?: readonly KeptFolder[];
  readonly network: Network;
  /** Whether a policy denies the network, which overrides a validator's configuration; missing means no. */
  readonly networkDenied?: boolean;
}

export interface KeptFolder {
  /** The path inside the sandbox; it need not exist outside. */
  readonly path: string;
  readonly source: string;
}
