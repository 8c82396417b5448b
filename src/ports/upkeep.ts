import type { WorkspaceDiff } from '../contracts/workspace-change.ts';
import type { RunWorkspace } from './workspace.ts';

/**
 * What runs leave behind in a repository, to bring back or to take away. Whatever a person could still want is kept
 * under `refs/conductor/salvage/` before it is taken away.
 */
export interface Upkeep {
  /** All that is kept, oldest first; also of runs whose record is gone. */
  readonly salvages: () => Promise<readonly Salvage[]>;
  /** What a salvage changes, compared with the commit it stands on. */
  readonly contents: (salvage: Salvage) => Promise<WorkspaceDiff>;
  /** Whether the worktree of a run holds files that are not on its branch. */
  readonly worktreeState: (workspace: RunWorkspace) => Promise<WorktreeState>;
  /** Makes the files of a worktree without uncommitted changes those of a salvage; the branch stays where it is. */
  readonly bringBackFiles: (workspace: RunWorkspace, salvage: Salvage) => Promise<void>;
  /** Makes a branch at a salvage. One that is there already is only taken when it is at that commit. */
  readonly bringBackBranch: (branchName: string, salvage: Salvage) => Promise<BranchMade>;
  /** Puts a ref back to its salvaged value; where it is now is kept first. */
  readonly bringBackRef: (salvage: RefSalvage) => Promise<RefMoved>;
  /** The worktrees of runs that git knows of. */
  readonly worktrees: () => Promise<readonly ListedWorktree[]>;
  /** Bytes of all files below a path; links are not followed. */
  readonly sizeOf: (path: string) => Promise<number>;
  /** Keeps what is not on the run's branch, then takes the worktree away. */
  readonly removeWorktree: (workspace: RunWorkspace) => Promise<Removal>;
  /** Takes the run's branch and snapshots away; a branch that nothing else holds becomes a salvage. */
  readonly removeRefs: (workspace: RunWorkspace) => Promise<Removal>;
  /** Takes away what a run wrote into its folder, unless anything else is in it; `dryRun` only says whether it would. */
  readonly removeRecord: (runId: string, options: { readonly dryRun: boolean }) => Promise<Removal>;
}

export interface Salvage {
  readonly runId: string;
  readonly ref: string;
  /** What comes after the run in the ref's name. */
  readonly name: string;
  readonly commit: string;
  /** In the user's repository, or still in the store of the run's workspace. */
  readonly place: 'repository' | 'workspace';
  readonly of: { readonly kind: 'files'; readonly stepId: string | null } | SalvagedRef;
  /** When the files were kept. Null for refs, whose commits tell of another time. */
  readonly keptAt: string | null;
}

interface SalvagedRef {
  readonly kind: 'ref';
  /** In full. */
  readonly refName: string;
  /** True for the value it had when a person put it back. */
  readonly undone: boolean;
}

export type RefSalvage = Salvage & { readonly of: SalvagedRef };

/** `linked`: an earlier version made it, as a linked worktree of the user's repository. */
export type WorktreeState = 'missing' | 'clean' | 'changed' | 'linked';

export type BranchMade =
  | { readonly ok: true; readonly made: boolean }
  | { readonly ok: false; readonly reason: 'invalid' | 'taken' };

export interface RefMoved {
  /** Null when the ref was gone. */
  readonly from: string | null;
  readonly to: string;
  /** Where the value it had is kept; null when there was none, or nothing was to be done. */
  readonly salvageRef: string | null;
  /** The checkout that has the branch checked out; its files and its index stay as they are. */
  readonly checkout: string | null;
}

export interface ListedWorktree {
  readonly runId: string;
  readonly path: string;
  /** Null when HEAD is not on a branch. */
  readonly branchName: string | null;
  /** False when the folder is gone and only git still knows of it. */
  readonly present: boolean;
  /** An earlier version made it, as a linked worktree of the user's repository. */
  readonly linked: boolean;
}

export type Removal =
  | {
      readonly ok: true;
      readonly removed: boolean;
      readonly salvageRef: string | null;
      /** What was not taken away, because it is not the run's; or what could not be kept, because it is too large. */
      readonly notes: readonly string[];
    }
  /** Nothing was taken away. */
  | { readonly ok: false; readonly reason: string };
