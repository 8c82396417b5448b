import type { PublishConfig } from '../../contracts/config/forge-config.ts';
import type { Answerer } from '../answerer.ts';
import type { RunDirectory } from '../run-store.ts';
import type { Forge } from './forge.ts';
import type { IntentJournal } from './intents.ts';

/** The forge of a project, and what publishing to it needs of this machine. */
export interface ProjectForge {
  /** Null if runs don't publish their work by themselves. */
  readonly publish: PublishConfig | null;
  /** Connects; throws `ForgeError`, for example if no remote names a repository. Nothing is loaded before. */
  readonly open: (request: OpenForgeRequest) => Promise<Forge>;
  /** Pushes one commit to one branch, with git. Throws `ForgeError`. */
  readonly push: (request: PushRequest) => Promise<void>;
  /** Identifies this process as the one that passes on answers of the forge. */
  readonly answerer: () => Promise<Answerer>;
  /** What this run has begun to write to the forge. For one process at a time. */
  readonly journal: (directory: RunDirectory) => IntentJournal;
}

export interface OpenForgeRequest {
  /** Whether a person waits for it. Otherwise a part of the rate limit is left to people. */
  readonly isForPerson: boolean;
  readonly signal: AbortSignal;
}

export interface PushRequest {
  readonly forge: Forge;
  readonly gitUrl: string;
  readonly commit: string;
  readonly branch: string;
  /** Where the branch must be now; null if it must not exist. */
  readonly expected: string | null;
  readonly signal: AbortSignal;
}
