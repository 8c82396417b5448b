import type { RefState, WorkspaceDiff } from '../contracts/workspace-change.ts';

/**
 * Where a run's changes live: a branch and a worktree of its own. The user's checkout, index, stash and
 * branches are never written; the only refs that move are the run's branch and `refs/conductor/`.
 */
export interface Workspace {
  /** Resolves what a run would start from. Changes nothing. */
  readonly resolveBase: (baseRef: string) => Promise<BaseResolution>;
  /** Whether a commit holds a file at this path, relative to the repository. */
  readonly hasFile: (commit: string, path: string) => Promise<boolean>;
  /** Names the branch and the worktree that a run will have. Changes nothing. */
  readonly describe: (request: WorkspaceRequest) => RunWorkspace;
  /** A branch that is in the way of the run's, or null. Changes nothing. */
  readonly branchInTheWay: (workspace: RunWorkspace) => Promise<string | null>;
  /** A checkout of a person that has the run's branch, or null. Changes nothing. */
  readonly branchHolder: (workspace: RunWorkspace) => Promise<string | null>;
  /** Makes the branch and the worktree. On failure nothing of them is left. */
  readonly create: (workspace: RunWorkspace) => Promise<void>;
  /**
   * Makes sure that the worktree of a recorded run is there. One that is gone is made again with the files of
   * `tree`, so that nothing of what steps did is lost with the folder.
   */
  readonly reopen: (workspace: RunWorkspace, tree: string | null) => Promise<void>;
  /** Keeps tracked and untracked files as a commit under `refs/conductor/<run>/<name>`. */
  readonly snapshot: (workspace: RunWorkspace, name: string) => Promise<Snapshot>;
  /** What a tree has where a file is to be put, or why none may be put there. Changes nothing. */
  readonly fileInPlace: (workspace: RunWorkspace, tree: string, file: NewFile) => Promise<FileInPlace>;
  /**
   * A snapshot with the files of another one, some of them replaced. The worktree stays as it is: `restore` brings
   * them there, and keeps what they replace.
   */
  readonly overlay: (
    workspace: RunWorkspace,
    base: string,
    name: string,
    files: readonly NewFile[],
  ) => Promise<Snapshot>;
  /** What changed between two trees; the patch is written to `patchPath` where given. */
  readonly diff: (
    workspace: RunWorkspace,
    fromTree: string,
    toTree: string,
    patchPath?: string,
  ) => Promise<WorkspaceDiff>;
  /** Puts the worktree back to a snapshot; what is there now is kept under a salvage ref first. */
  readonly restore: (
    workspace: RunWorkspace,
    target: RestoreTarget,
    salvageName: string,
  ) => Promise<Restored>;
  /** Commits the worktree as it is to the run's own branch, if it differs from the branch. Returns its head. */
  readonly commit: (workspace: RunWorkspace, message: string) => Promise<string>;
  /** The refs of the whole repository and where the worktree's HEAD points: compared around each step. */
  readonly refs: (workspace: RunWorkspace) => Promise<RefState>;
  /** Names of refs that moved between two states because of work in another checkout. */
  readonly movedElsewhere: (before: RefState, after: RefState) => Promise<readonly string[]>;
}

export type BaseResolution =
  | { readonly ok: true; readonly sha: string; readonly tree: string }
  | { readonly ok: false; readonly reason: 'no_commits' | 'unknown_ref' };

export interface WorkspaceRequest {
  readonly runId: string;
  readonly workflowId: string;
  readonly baseRef: string;
  readonly baseSha: string;
  /** The run directory's harness folder; the same relative path in the worktree leads to it. */
  readonly harnessDir: string;
  /** Of the work item that the run is for, which later runs take over; left out, the run has one of its own. */
  readonly branch?: string;
}

export interface RunWorkspace {
  readonly runId: string;
  readonly repoRoot: string;
  readonly worktreePath: string;
  readonly branchName: string;
  readonly baseRef: string;
  readonly baseSha: string;
  readonly harnessDir: string;
}

export interface Snapshot {
  readonly commit: string;
  readonly tree: string;
}

/** Bytes for a place in the worktree. */
export interface NewFile {
  /** Relative to the worktree. */
  readonly path: string;
  /** The file that holds the bytes, absolute. */
  readonly source: string;
  /** What the bytes must have. */
  readonly sha256: string;
}

export type FileInPlace =
  | { readonly kind: 'absent' }
  | { readonly kind: 'file'; readonly sha256: string; readonly bytes: number }
  | { readonly kind: 'refused'; readonly why: string };

/** The state the run started from, or a snapshot. */
export type RestoreTarget =
  | { readonly kind: 'base' }
  | { readonly kind: 'snapshot'; readonly commit: string };

export interface Restored {
  readonly salvageRef: string;
  readonly before: Snapshot;
  readonly after: Snapshot;
}
