import type { WorkspaceDiff } from '../contracts/run/workspace-change.ts';
import type { RunWorkspace } from './workspace/workspace.ts';

/**
 * Restores or removes what runs leave behind in a repository. Work that a user could still need is kept under
 * `refs/conductor/salvage/` before it is removed.
 */
export interface Upkeep {
  /** All salvages, oldest first, including those of runs whose record is deleted. */
  readonly listSalvages: () => Promise<readonly Salvage[]>;
  /** The changes in a salvage, compared with its parent commit. */
  readonly readSalvage: (salvage: Salvage) => Promise<WorkspaceDiff>;
  /** Whether the checkout of a run has changes that are not on its branch. */
  readonly workspaceState: (workspace: RunWorkspace) => Promise<WorkspaceState>;
  /** Restores salvaged files in a checkout without uncommitted changes; does not move the branch. */
  readonly restoreFiles: (workspace: RunWorkspace, salvage: Salvage) => Promise<void>;
  /** Creates a branch at a salvage. An existing branch is accepted only if it is at that commit. */
  readonly restoreBranch: (branchName: string, salvage: Salvage) => Promise<BranchResult>;
  /** Restores a ref to its salvaged value; salvages its current value first. */
  readonly restoreRef: (salvage: RefSalvage) => Promise<RefResult>;
  /** The workspaces of runs that exist, or that git still lists. */
  readonly listWorkspaces: () => Promise<readonly ListedWorkspace[]>;
  /** Total size in bytes of all files below a path. Does not follow symbolic links. */
  readonly sizeOf: (path: string) => Promise<number>;
  /** Salvages changes that are not on the run's branch, then removes the workspace. */
  readonly removeWorkspace: (workspace: RunWorkspace) => Promise<Removal>;
  /** Removes the run's branch and snapshots; a branch that no other ref contains becomes a salvage. */
  readonly removeRefs: (workspace: RunWorkspace) => Promise<Removal>;
  /** Removes the run directory unless it contains foreign files; `dryRun` only reports whether it would. */
  readonly removeRecord: (runId: string, options: { readonly dryRun: boolean }) => Promise<Removal>;
}

export interface Salvage {
  readonly runId: string;
  readonly ref: string;
  /** The part of the ref name after the run id. */
  readonly name: string;
  readonly commit: string;
  /** In the user's repository, or still in the run's workspace. */
  readonly place: 'repository' | 'workspace';
  readonly of: { readonly kind: 'files'; readonly stepId: string | null } | SalvagedRef;
  /** When the files were salvaged. Null for refs, because their commit dates are unrelated. */
  readonly keptAt: string | null;
}

interface SalvagedRef {
  readonly kind: 'ref';
  /** The full ref name. */
  readonly refName: string;
  /** True for the value that a user replaced by restoring the ref. */
  readonly undone: boolean;
}

export type RefSalvage = Salvage & { readonly of: SalvagedRef };

/** `linked`: created by an earlier version, as a linked worktree of the user's repository. */
export type WorkspaceState = 'missing' | 'clean' | 'changed' | 'linked';

export type BranchResult =
  | { readonly ok: true; readonly made: boolean }
  | { readonly ok: false; readonly reason: 'invalid' | 'taken' };

export interface RefResult {
  /** Null if the ref did not exist. */
  readonly from: string | null;
  readonly to: string;
  /** The salvage of the previous value; null if there was none or the ref did not move. */
  readonly salvageRef: string | null;
  /** The checkout that has the branch checked out; its files and index are not changed. */
  readonly checkout: string | null;
}

export interface ListedWorkspace {
  readonly runId: string;
  readonly path: string;
  /** Null if HEAD is detached. */
  readonly branchName: string | null;
  /** False if the folder is gone and only git still lists it. */
  readonly present: boolean;
  /** Created by an earlier version, as a linked worktree of the user's repository. */
  readonly linked: boolean;
}

export type Removal =
  | {
      readonly ok: true;
      readonly removed: boolean;
      readonly salvageRef: string | null;
      /** What was not removed because it is not the run's, or not salvaged because it is too large. */
      readonly notes: readonly string[];
    }
  /** Nothing was removed. */
  | { readonly ok: false; readonly reason: string };
