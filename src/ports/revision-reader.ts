import type { WorkspaceDiff } from '../contracts/run/workspace-change.ts';

/** Reads revisions of work items from the repository. */
export interface RevisionReader {
  /** The branch that revisions are merged into; null if there is none yet. */
  readonly defaultBranch: () => Promise<string | null>;
  /** The merge base of a commit and the default branch; null if they have no common history. */
  readonly baseOf: (commit: string) => Promise<string | null>;
  /** The change between two commits, as a patch that can be applied. */
  readonly patch: (from: string, to: string) => Promise<string>;
  readonly files: (from: string, to: string) => Promise<WorkspaceDiff>;
}
