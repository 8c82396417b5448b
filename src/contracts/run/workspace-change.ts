/** Changes of a workspace as the runtime sees them; policies and the planner evaluate them. */

export interface RefState {
  /** Full ref name to object id, without `refs/conductor/`. */
  readonly refs: Readonly<Record<string, string>>;
  /** The symbolic ref that HEAD points at, or null when detached. */
  readonly head: string | null;
}

export interface FileChange {
  readonly path: string;
  /** Set for renames. */
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

/** A change that is not visible in a tree: in the workspace's git folder, or a link that leads outside. */
export interface HiddenChange {
  readonly place: 'git_files' | 'link';
  /** For display: a path, or a link with its target. */
  readonly subject: string;
  readonly verb: 'changed' | 'created' | 'deleted';
  /** Whether conductor restored it. */
  readonly restored: boolean;
}

/** A change outside the workspace while a step ran. It is never attributed to the step. */
export interface Notice {
  readonly kind: 'checkout_changed' | 'branch_left_alone' | 'workspace';
  /** A ref or a path. */
  readonly subject: string;
  readonly old: string | null;
  readonly new: string | null;
  readonly message: string;
  /** The ref that keeps an old value that is no longer reachable otherwise. */
  readonly salvageRef: string | null;
}
