import type { FileChange, WorkspaceDiff } from '../contracts/workspace-change.ts';

/**
 * Where a run works: a git repository of its own outside every checkout of the user, with a second checkout beside it
 * that validators run in. Of the user's repository only three kinds of refs are written: the run's branch,
 * `refs/conductor/base/<run>` and `refs/conductor/salvage/…`.
 */
export interface Workspace {
  /** Resolves what a run would start from. Changes nothing. */
  readonly resolveBase: (baseRef: string) => Promise<BaseResolution>;
  /** Whether a commit holds a file at this path, relative to the repository. */
  readonly hasFile: (commit: string, path: string) => Promise<boolean>;
  /** The text of files at a commit or in a tree of the run; null where there is none or it is too large. */
  readonly readFiles: (
    workspace: RunWorkspace,
    revision: string,
    paths: readonly string[],
  ) => Promise<ReadonlyMap<string, string | null>>;
  /** Names the branch and the folders that a run will have. Changes nothing. */
  readonly describe: (request: WorkspaceRequest) => RunWorkspace;
  /** An existing branch whose name rules out the run's branch name, or null. Changes nothing. */
  readonly conflictingBranch: (workspace: RunWorkspace) => Promise<string | null>;
  /** Makes the repository and its checkout. On failure nothing of them is left. */
  readonly create: (workspace: RunWorkspace) => Promise<void>;
  /** Whether the workspace of a recorded run can be seen from here. Changes nothing. */
  readonly isVisible: (workspace: RunWorkspace) => Promise<boolean>;
  /**
   * Makes sure that the workspace of a recorded run is complete; a deleted checkout is filled again from `tree`. Fails,
   * naming the path, if the workspace can't be seen from here.
   */
  readonly reopen: (workspace: RunWorkspace, tree: string | null) => Promise<void>;
  /** Records tracked and untracked files as a commit in the workspace. */
  readonly snapshot: (workspace: RunWorkspace, name: string) => Promise<Snapshot>;
  /** What a tree has where a file is to be put, or why none may be put there. Changes nothing. */
  readonly fileInPlace: (workspace: RunWorkspace, tree: string, file: NewFile) => Promise<FileInPlace>;
  /** A snapshot with the files of another one, some of them replaced. The checkout stays as it is until `restore`. */
  readonly overlay: (
    workspace: RunWorkspace,
    base: string,
    name: string,
    files: readonly NewFile[],
  ) => Promise<Snapshot>;
  /** What changed between two trees; the patch is written to `patchPath` if it is given. */
  readonly diff: (
    workspace: RunWorkspace,
    fromTree: string,
    toTree: string,
    patchPath?: string,
  ) => Promise<WorkspaceDiff>;
  /** Restores a snapshot; the files that are replaced are kept under a salvage ref of the workspace first. */
  readonly restore: (
    workspace: RunWorkspace,
    target: RestoreTarget,
    salvageName: string,
  ) => Promise<Restored>;
  /** Brings the judge checkout to a tree. Everything else in it is removed except the paths that setup owns. */
  readonly openJudge: (workspace: RunWorkspace, request: JudgeRequest) => Promise<JudgeCheckout>;
  /** The `TMPDIR` of processes in a checkout; created if it is missing. That of the judge checkout is emptied by `openJudge`. */
  readonly openTemporary: (checkout: string) => Promise<string>;
  /** Removes the temporary files of both checkouts. */
  readonly removeTemporary: (workspace: RunWorkspace) => Promise<void>;
  /** Makes one commit of a tree and brings it to the user's repository, as the run's branch. */
  readonly publish: (workspace: RunWorkspace, result: RunResult) => Promise<Published>;
}

export type BaseResolution =
  | { readonly ok: true; readonly sha: string; readonly tree: string }
  | { readonly ok: false; readonly reason: 'no_commits' | 'unknown_ref' };

export interface WorkspaceRequest {
  readonly runId: string;
  readonly workflowId: string;
  readonly baseRef: string;
  readonly baseSha: string;
  /** The run directory's harness folder; the same relative path in both checkouts leads to it. */
  readonly harnessDir: string;
  /** The branch of a work item; if it is missing, the run gets a branch of its own. */
  readonly branch?: string;
}

export interface RunWorkspace {
  readonly runId: string;
  readonly repoRoot: string;
  readonly worktreePath: string;
  /** The checkout that validators run in, beside the worktree. */
  readonly judgePath: string;
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

export interface JudgeRequest {
  /** The base commit with its tree for the baseline. */
  readonly snapshot: Snapshot;
  /** Paths that are put there as they are at the base. */
  readonly asAtBase: (path: string) => boolean;
}

export interface JudgeCheckout {
  readonly path: string;
  /** Every difference between the base and the snapshot; a rename is a deletion and an addition. */
  readonly changes: readonly FileChange[];
  /** Those of the changed paths that are as at the base here. */
  readonly restored: readonly string[];
}

export interface RunResult {
  readonly tree: string;
  /** Subject and trailers of the commit. */
  readonly message: string;
}

export interface Published {
  /** The commit with the result; the base if nothing changed. */
  readonly commit: string;
  /** The ref of the user's repository that leads to it; null if nothing changed and nothing had to be moved. */
  readonly ref: string | null;
  /** Set if the run's branch was left alone. */
  readonly leftAlone: BranchLeftAlone | null;
}

export interface BranchLeftAlone {
  readonly branchName: string;
  readonly reason: 'checked_out' | 'moved' | 'refused';
  /** Where the branch is; null if it does not exist. */
  readonly at: string | null;
  /** The checkout that has it, if that is the reason. */
  readonly checkout: string | null;
  /** What git said, if it refused to write the branch. */
  readonly detail: string | null;
  readonly salvageRef: string;
}
