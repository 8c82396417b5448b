import type { Config } from '../contracts/config/config.ts';
import type { ReadTemplate } from '../contracts/documents/prompt.ts';
import type { PlacedWarning } from '../diagnostics/diagnostic.ts';
import type { Answerer } from '../ports/answerer.ts';
import type { Clock } from '../ports/clock.ts';
import type { Engine } from '../ports/engine.ts';
import type { Hub } from '../ports/hub.ts';
import type { BrokenFile } from '../ports/project-files.ts';
import type { Ids } from '../ports/run-store.ts';
import type { RunSummaries } from '../ports/run-summaries.ts';
import type { Upkeep } from '../ports/upkeep.ts';
import type { Workspace } from '../ports/workspace/workspace.ts';
import type { Obstacle } from '../runtime/obstacle.ts';
import type { RunDeps } from '../runtime/run-context.ts';
import type { CheckContext } from '../workflow/rule.ts';
import type { EngineSide } from './engine/labels.ts';
import type { Retention } from './runs/retention.ts';

/** What is open after a folder was found and its configuration read, or what prevents it. */
export type Opened<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly obstacle: Obstacle; readonly document: BrokenFile | null };

export function refuse(
  message: string,
  help: string | null,
  document: BrokenFile | null = null,
): Opened<never> {
  return { ok: false, obstacle: { message, help }, document };
}

/** A broken configuration: a file, or an environment variable. */
export function refuseConfig(file: BrokenFile): Opened<never> {
  const help = file.name.endsWith('.yaml') ? 'correct it; an empty file is valid' : 'correct it, or unset it';
  return refuse(`${file.name} ${file.problem}`, help, file);
}

/** Everything for checking a workflow. */
export interface CheckSetup {
  readonly context: CheckContext;
  /** Where workflow ids are looked up, nearest first. */
  readonly workflowFolders: readonly string[];
  /** The configuration, if it is invalid; names are not resolved then. */
  readonly brokenConfig: BrokenFile | null;
  /** Warnings about the configuration. */
  readonly configWarnings?: readonly PlacedWarning[];
  /** Loads the template engine, which only prompts with templates need. */
  readonly templateReader: () => Promise<ReadTemplate>;
}

/** The records of a repository, read-only. */
export interface Records {
  readonly repoRoot: string;
  readonly store: Engine;
  /** Summaries of ended runs. */
  readonly summaries: RunSummaries;
  readonly clock: Clock;
  /** The default label of an answer. */
  readonly userName: () => Promise<string>;
  /** Identifies this process as the origin of answers. */
  readonly answerer: () => Promise<Answerer>;
  /** Which origins of answers are accepted. */
  readonly answers: Config['answers'];
}

/** The records plus what runs leave in git, to restore or remove. */
export interface UpkeepSetup extends Records {
  /** Null if no hub is configured: all workers share one file system. */
  readonly hub: Hub | null;
  readonly upkeep: Upkeep;
  /** Computes where the workspace of a run is. */
  readonly workspace: Pick<Workspace, 'describe'>;
  readonly retention: Retention;
  /** Whether the configuration sets the retention; only then it is applied after a run. */
  readonly isRetentionConfigured: boolean;
}

/** Everything that a run in the repository needs. */
export interface OpenProject extends Records {
  /** Warnings about the configuration. */
  readonly configWarnings?: readonly PlacedWarning[];
  readonly deps: RunDeps;
  readonly ids: Ids;
  readonly context: CheckContext;
  /** What this repository and this machine are to a queue of runs. */
  readonly engineSide: () => Promise<EngineSide>;
  /** Null if no hub is configured: all workers share one file system. */
  readonly hub: Hub | null;
  /** Where workflow ids are looked up, nearest first. */
  readonly workflowFolders: readonly string[];
}
