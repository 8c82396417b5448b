import type { ForeignDependency } from '../../setup/foreign.ts';
import type { Confinement } from '../sandbox.ts';

/** Prepares the checkouts of a run as configured in `setup`, and finds foreign dependencies in them. */
export interface CheckoutSetup {
  /** Whether the configuration has a `setup`. */
  readonly isConfigured: boolean;
  /** The commands of `setup.run`; empty without a `setup`. */
  readonly commands: readonly (readonly string[])[];
  /**
   * Null if the configuration has no `setup`. The same key files, commands, platform and program versions give the
   * same digest.
   */
  readonly digest: (request: DigestRequest) => Promise<string | null>;
  /** Hashes of the files in `setup.cache.key`, by path, to detect which of them an agent changed. */
  readonly keyFiles: (checkout: string) => Promise<ReadonlyMap<string, string>>;
  /**
   * Creates the setup paths of a checkout from scratch: copies them from the cache, or runs the commands and stores
   * the result. Without `setup`, only checks for foreign dependencies.
   */
  readonly prepare: (request: SetupRequest) => Promise<SetupResult>;
  /**
   * Restores the setup paths of a prepared checkout from the cache. Cheap if nothing changed: compares inode, size and
   * times of files and reads no contents. Prepares the checkout again if key files changed or the cache has no entry.
   */
  readonly restore: (request: SetupRequest) => Promise<SetupResult>;
  /** Dependencies that resolve to another checkout. Runs no command of the configuration. */
  readonly scan: (request: ScanRequest) => Promise<readonly ForeignDependency[]>;
  /** Reserves the ports of `setup.ports` and returns the first; null if none are configured. A run keeps its ports. */
  readonly reservePorts: (request: PortsRequest) => Promise<number | null>;
  readonly releasePorts: (runId: string) => Promise<void>;
  /**
   * Paths and globs, relative to a checkout, that setup owns: `cache.paths` and `copy`. They are never part of a diff
   * and survive when a checkout is cleaned.
   */
  readonly ownedPaths: readonly string[];
}

export interface DigestRequest {
  readonly checkout: string;
  /** The environment of the commands; its PATH determines which programs they start. */
  readonly env: Readonly<Record<string, string>>;
}

export interface ScanRequest extends DigestRequest {
  /** The user's checkout, the other checkout of the run, the folder of all workspaces. They may contain `checkout`. */
  readonly otherCheckouts: readonly string[];
}

export interface SetupRequest extends ScanRequest {
  /**
   * A folder of the run, outside its checkouts and inaccessible to agents. Setup stores its state of each checkout
   * there, and results that other runs must not use.
   */
  readonly stateDir: string;
  /**
   * Whether an agent may have changed the files of the checkout. If so, results are stored for this run only:
   * otherwise an agent could poison the cache of later runs.
   */
  readonly isChanged: boolean;
  /** The folder for the output of the commands. */
  readonly evidenceDir: string;
  /** The sandbox settings of the commands, which have network access; null without a sandbox. */
  readonly confinement: Confinement | null;
  readonly mark: string;
  readonly signal: AbortSignal;
  readonly onLine: (line: string) => void;
}

export interface SetupCommand {
  readonly command: readonly string[];
  /** Null if it was killed or could not be started. */
  readonly exitCode: number | null;
  readonly durationMs: number;
  readonly stdoutPath: string;
  readonly stderrPath: string;
}

export type SetupResult =
  | {
      readonly ok: true;
      /** Null without `setup`. */
      readonly digest: string | null;
      /** Whether the paths came from the cache or were unchanged. */
      readonly cacheHit: boolean;
      readonly commands: readonly SetupCommand[];
      /** Notes for the user, such as why a result was not cached. */
      readonly notes: readonly string[];
    }
  | {
      readonly ok: false;
      /** The command with the end of its output, or the foreign dependencies. */
      readonly reason: string;
      readonly commands: readonly SetupCommand[];
      readonly notes: readonly string[];
      readonly foreign: readonly ForeignDependency[];
      /** Exit code of the failed command; null if it was killed, could not be started, or no command failed. */
      readonly exitCode: number | null;
      /** Whether it ended because the signal was aborted. */
      readonly cancelled: boolean;
    };

export interface PortsRequest {
  readonly runId: string;
  /** The folder of the run's workspace. The ports are released when the folder or the process is gone. */
  readonly workspace: string;
}
