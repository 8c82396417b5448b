import type { Config } from '../contracts/config/config.ts';
import type { PlacedWarning } from '../diagnostics/diagnostic.ts';

/** A repository with its configuration. */
export interface Configured {
  readonly repoRoot: string;
  /** The git folder that all worktrees of the repository share. */
  readonly gitDir: string;
  /** Contains the workspaces of the repository's runs. */
  readonly workspacesDir: string;
  readonly config: Config;
  /** Problems of the configuration that don't make it unusable. */
  readonly warnings: readonly PlacedWarning[];
}
