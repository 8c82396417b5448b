import type { WorkspaceDiff } from '../contracts/workspace-change.ts';

/** What the repository knows of the work on an item. It only reads. */
export interface RevisionReader {
  /** The branch that revisions go into; null where there is none yet. */
  readonly defaultBranch: () => Promise<string | null>;
  /** The commit that work started from which has led to this one; null where both have nothing in common. */
  readonly baseOf: (commit: string) => Promise<string | null>;
  /** The whole change between two commits, as text that can be applied. */
  readonly patch: (from: string, to: string) => Promise<string>;
  readonly files: (from: string, to: string) => Promise<WorkspaceDiff>;
}
