import type { ForeignDependency } from '../setup/foreign.ts';
import type { Confinement } from './sandbox.ts';

/** Prepares the checkouts of a run, as `setup` of the configuration says, and looks for foreign dependencies in them. */
export interface CheckoutSetup {
  /** Whether the configuration has a `setup`. */
  readonly isConfigured: boolean;
  /** The commands of `setup.run`; empty without a `setup`. */
  readonly commands: readonly (readonly string[])[];
  /**
   * Null when the configuration has no `setup`. The same key files, commands, platform and versions of the programs
   * give the same digest.
   */
  readonly digest: (request: DigestRequest) => Promise<string | null>;
  /** Hashes of the files that `setup.cache.key` names, by path: shows which of them an agent changed. */
  readonly keyFiles: (checkout: string) => Promise<ReadonlyMap<string, string>>;
  /**
   * Makes the setup paths of a checkout from scratch: copied from the cache, or else by the commands, whose result is
   * then stored. Without `setup` it only looks for foreign dependencies.
   */
  readonly prepare: (request: SetupRequest) => Promise<SetupResult>;
  /**
   * Brings the setup paths of a prepared checkout back to what the cache holds. Cheap when nothing changed: it compares
   * stamps of files and reads no contents. Prepares the checkout again when key files changed or nothing is stored.
   */
  readonly restore: (request: SetupRequest) => Promise<SetupResult>;
  /** Dependencies that resolve to another checkout. Runs no command of the configuration. */
  readonly scan: (request: ScanRequest) => Promise<readonly ForeignDependency[]>;
  /** The first of the ports that `setup.ports` asks for; null when it asks for none. The same run keeps its ports. */
  readonly reservePorts: (request: PortsRequest) => Promise<number | null>;
  readonly releasePorts: (runId: string) => Promise<void>;
  /**
   * Paths and globs, relative to a checkout, that setup owns: `cache.paths` and `copy`. Never part of a diff, and kept
   * when a checkout is cleaned.
   */
  readonly ownedPaths: readonly string[];
}

export interface DigestRequest {
  readonly checkout: string;
  /** The environment of the commands: its PATH decides which programs they start. */
  readonly env: Readonly<Record<string, string>>;
}

export interface ScanRequest extends DigestRequest {
  /** The user's checkout, the other checkout of the run, the folder of all workspaces. They may hold `checkout`. */
  readonly otherCheckouts: readonly string[];
}

export interface SetupRequest extends ScanRequest {
  /**
   * A folder of the run, outside its checkouts and out of reach for agents. Setup keeps there what it knows about each
   * checkout, and results that no other run may use.
   */
  readonly stateDir: string;
  /**
   * Whether an agent may have changed the files of the checkout. What the commands make of them is kept for this run
   * only: otherwise an agent could decide what later runs are given.
   */
  readonly isChanged: boolean;
  /** Where the output of the commands goes. */
  readonly evidenceDir: string;
  /** What the commands get of the machine, with network; null where there is no sandbox. */
  readonly confinement: Confinement | null;
  readonly mark: string;
  readonly signal: AbortSignal;
  readonly onLine: (line: string) => void;
}

export interface SetupCommand {
  readonly command: readonly string[];
  /** Null when it was killed or could not be started. */
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
      /** Whether the paths came from the cache, or were still as they should be. */
      readonly cacheHit: boolean;
      readonly commands: readonly SetupCommand[];
      /** What the user should know, such as why a result was not cached. */
      readonly notes: readonly string[];
    }
  | {
      readonly ok: false;
      /** The command with the end of its output, or the foreign dependencies. */
      readonly reason: string;
      readonly commands: readonly SetupCommand[];
      readonly notes: readonly string[];
      readonly foreign: readonly ForeignDependency[];
      /** Of the command that failed; null when it was killed, could not be started, or no command failed. */
      readonly exitCode: number | null;
      /** Whether it ended because the signal was aborted. */
      readonly cancelled: boolean;
    };

export interface PortsRequest {
  readonly runId: string;
  /** The folder of the run's workspace. The ports are free again when it or the process is gone. */
  readonly workspace: string;
}
