import type { FileChange, WorkspaceDiff } from '../../contracts/run/workspace-change.ts';

/**
 * Where a run works: its own git repository outside the user's checkouts, with a second checkout beside it for
 * validators. It writes only three kinds of refs in the user's repository: the run's branch,
 * `refs/conductor/base/<run>` and `refs/conductor/salvage/…`.
 */
export interface Workspace {
  /** Resolves the base commit of a run. Changes nothing. */
  readonly resolveBase: (baseRef: string) => Promise<BaseResolution>;
  /** Whether a commit contains a file at this path, relative to the repository. */
  readonly hasFile: (commit: string, path: string) => Promise<boolean>;
  /** Reads text files from a commit or tree of the run; null for a missing or too large file. */
  readonly readFiles: (
    workspace: RunWorkspace,
    treeish: string,
    paths: readonly string[],
  ) => Promise<ReadonlyMap<string, string | null>>;
  /** Computes the branch name and folders of a run. Changes nothing. */
  readonly describe: (request: WorkspaceRequest) => RunWorkspace;
  /** An existing branch whose name conflicts with the run's branch name, or null. Changes nothing. */
  readonly conflictingBranch: (workspace: RunWorkspace) => Promise<string | null>;
  /** Creates the repository and its checkout. On failure it leaves nothing behind. */
  readonly create: (workspace: RunWorkspace) => Promise<void>;
  /** Whether the workspace of a recorded run is accessible here, for example mounted. Changes nothing. */
  readonly isVisible: (workspace: RunWorkspace) => Promise<boolean>;
  /**
   * Makes sure that the workspace of a recorded run is complete; recreates a deleted checkout from `tree`. Fails with
   * the path if the workspace is not accessible. `recreated`: what setup had installed is missing.
   */
  readonly reopen: (workspace: RunWorkspace, tree: string | null) => Promise<Reopened>;
  /** Records tracked and untracked files as a commit in the workspace. */
  readonly snapshot: (workspace: RunWorkspace, name: string) => Promise<Snapshot>;
  /** The existing file at the path of a new file, or why no file may be written there. Changes nothing. */
  readonly fileInPlace: (workspace: RunWorkspace, tree: string, file: NewFile) => Promise<FileInPlace>;
  /** Creates a snapshot from another one with some files replaced. Does not change the checkout; `restore` does. */
  readonly overlay: (
    workspace: RunWorkspace,
    base: string,
    name: string,
    files: readonly NewFile[],
  ) => Promise<Snapshot>;
  /** The changes between two trees; writes the patch to `patchPath` if given. */
  readonly diff: (
    workspace: RunWorkspace,
    fromTree: string,
    toTree: string,
    patchPath?: string,
  ) => Promise<WorkspaceDiff>;
  /** Restores a snapshot; first keeps the replaced files under a salvage ref of the workspace. */
  readonly restore: (
    workspace: RunWorkspace,
    target: RestoreTarget,
    salvageName: string,
  ) => Promise<Restored>;
  /** Sets the judge checkout to a tree. Removes all other files except the paths that setup owns. */
  readonly openJudge: (workspace: RunWorkspace, request: JudgeRequest) => Promise<JudgeCheckout>;
  /** The `TMPDIR` of processes in a checkout; created if missing. `openJudge` empties that of the judge checkout. */
  readonly openTemporary: (checkout: string) => Promise<string>;
  /** Removes the temporary files of both checkouts. */
  readonly removeTemporary: (workspace: RunWorkspace) => Promise<void>;
  /** Commits a tree and publishes the commit to the user's repository as the run's branch. */
  readonly publish: (workspace: RunWorkspace, result: RunResult) => Promise<Published>;
}

export type Reopened = 'kept' | 'recreated';

export type BaseResolution =
  | { readonly ok: true; readonly sha: string; readonly tree: string }
  | { readonly ok: false; readonly reason: 'no_commits' | 'unknown_ref' };

export interface WorkspaceRequest {
  readonly runId: string;
  readonly workflowId: string;
  readonly baseRef: string;
  readonly baseSha: string;
  /** The run directory's harness folder; both checkouts link to it at the same relative path. */
  readonly harnessDir: string;
  /** The branch of a work item; if missing, the run gets its own branch. */
  readonly branch?: string;
  /** The checkout that the record of the run names. If runs move between machines, each has its own. */
  readonly recordedPath?: string;
}

export interface RunWorkspace {
  readonly runId: string;
  readonly repoRoot: string;
  /** The checkout that agents work in. */
  readonly checkoutPath: string;
  /** The checkout that validators run in, beside it. */
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

/** A file to write into the checkout. */
export interface NewFile {
  /** Relative to the checkout. */
  readonly path: string;
  /** Absolute path of the file with the content. */
  readonly source: string;
  /** The expected hash of the content. */
  readonly sha256: string;
}

export type FileInPlace =
  | { readonly kind: 'absent' }
  | { readonly kind: 'file'; readonly sha256: string; readonly bytes: number }
  | { readonly kind: 'refused'; readonly why: string };

/** The base commit of the run, or a snapshot. */
export type RestoreTarget =
  | { readonly kind: 'base' }
  | { readonly kind: 'snapshot'; readonly commit: string };

export interface Restored {
  readonly salvageRef: string;
  readonly before: Snapshot;
  readonly after: Snapshot;
}

export interface JudgeRequest {
  /** For the baseline: the base commit and its tree. */
  readonly snapshot: Snapshot;
  /** Whether a path is checked out as at the base instead. */
  readonly asAtBase: (path: string) => boolean;
}

export interface JudgeCheckout {
  readonly path: string;
  /** Every difference between the base and the snapshot; a rename is a deletion and an addition. */
  readonly changes: readonly FileChange[];
  /** The changed paths that were checked out as at the base. */
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
  /** The ref in the user's repository that points to it; null if nothing changed and no ref had to move. */
  readonly ref: string | null;
  /** Set if the run's branch was not moved. */
  readonly leftAlone: BranchLeftAlone | null;
}

export interface BranchLeftAlone {
  readonly branchName: string;
  readonly reason: 'checked_out' | 'moved' | 'refused';
  /** The current commit of the branch; null if it does not exist. */
  readonly at: string | null;
  /** The checkout that has the branch checked out, if that is the reason. */
  readonly checkout: string | null;
  /** The error message of git, if it refused to update the branch. */
  readonly detail: string | null;
  readonly salvageRef: string;
}
