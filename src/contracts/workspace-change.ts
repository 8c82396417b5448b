/** What the runtime sees of a repository and its files; policies and the planner judge by it. */

export interface RefState {
  /** Full ref name to object id, without `refs/conductor/`. */
  readonly refs: Readonly<Record<string, string>>;
  /** The symbolic ref the worktree's HEAD points at, or null when detached. */
  readonly head: string | null;
  /** How long the HEAD logs of the other checkouts are, in bytes: what they say later was done meanwhile. */
  readonly headLogs: Readonly<Record<string, number>>;
}

export interface FileChange {
  readonly path: string;
  /** For renames. */
  readonly oldPath: string | null;
  readonly status: 'A' | 'M' | 'D' | 'R';
  /** Null for binary files. */
  readonly insertions: number | null;
  readonly deletions: number | null;
  readonly oldMode: string;
  readonly newMode: string;
  /** Object id after the change; zeros when deleted. */
  readonly blob: string;
}

export interface WorkspaceDiff {
  /** Sorted by path. */
  readonly files: readonly FileChange[];
  readonly insertions: number;
  readonly deletions: number;
}
