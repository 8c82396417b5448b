/** What the runtime sees of a workspace and its files; policies and the planner judge by it. */

export interface RefState {
  /** Full ref name to object id, without `refs/conductor/`. */
  readonly refs: Readonly<Record<string, string>>;
  /** The symbolic ref that HEAD points at, or null when detached. */
  readonly head: string | null;
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

/** A change that no tree shows: in the workspace's own git folder, or a link that leads out of it. */
export interface HiddenChange {
  readonly place: 'git_files' | 'link';
  /** As a person would name it: a path, or a link with its target. */
  readonly subject: string;
  readonly verb: 'changed' | 'created' | 'deleted';
  /** Whether conductor restored it. */
  readonly restored: boolean;
}

/** Something that changed outside the workspace while a step ran. It is never charged to the step. */
export interface Notice {
  readonly kind: 'checkout_changed' | 'branch_left_alone' | 'workspace';
  /** A ref or a path. */
  readonly subject: string;
  readonly old: string | null;
  readonly new: string | null;
  readonly message: string;
  /** Where an old value is kept that is no longer reachable otherwise. */
  readonly salvageRef: string | null;
}
