import type { OutsideChange } from '../contracts/surroundings.ts';
import type { FileChange, RefState } from '../contracts/workspace-change.ts';
import type { RunWorkspace, Snapshot } from './workspace.ts';

/** Keeps an eye on what lies around a worktree while a step runs, and on what git does not show of it. */
export interface Surroundings {
  readonly watch: (request: WatchRequest) => Promise<Watch>;
  /** Makes the checkout that validators judge the change of a run in, where paths are protected from it. */
  readonly openJudged: (workspace: RunWorkspace, request: JudgedRequest) => Promise<JudgedCheckout>;
}

export interface JudgedRequest {
  /** The files of the run as they are now. */
  readonly tree: string;
  /** Whether a path has to be as it was at the base. */
  readonly protects: (path: string) => boolean;
}

export interface JudgedCheckout {
  readonly worktreePath: string;
  /** Protected paths that the run changed, which are not changed here. */
  readonly changed: readonly string[];
  readonly remove: () => Promise<void>;
}

export interface WatchRequest {
  readonly workspace: RunWorkspace;
  /** The files before the step. */
  readonly before: Snapshot;
  /** The step's own evidence, which the conductor writes meanwhile. */
  readonly evidenceDir: string;
  /** Whether a sandbox keeps the step from writing there: what changes all the same was changed by others. */
  readonly shutIn: boolean;
  /** Of the files that git ignores, only these are of interest. */
  readonly forbids: (path: string) => boolean;
}

export interface Watch {
  /** Branches that remotes call their default, as they were before the step. */
  readonly defaultBranches: readonly string[];
  /**
   * Puts git's own files back as they were. It comes before any other git command after the step: a filter in a
   * changed configuration would be run by it.
   */
  readonly settle: () => Promise<Settled>;
  readonly compare: (step: StepTraces) => Promise<Observed>;
}

export interface Settled {
  readonly changes: readonly OutsideChange[];
  /** What the step had made of them. */
  readonly displaced: readonly DisplacedFile[];
  /** Whether the step took the worktree itself away. */
  readonly worktreeGone: boolean;
}

export interface DisplacedFile {
  /** Relative to the git folder. */
  readonly path: string;
  readonly content: Uint8Array;
}

export interface StepTraces {
  readonly refsBefore: RefState;
  readonly refsAfter: RefState;
  readonly changes: readonly FileChange[];
  /** Refs that are told and not blamed; their old values are not kept. */
  readonly excused: readonly string[];
  /** Names the entry of the step. */
  readonly entry: string;
}

export interface Observed {
  readonly outside: readonly OutsideChange[];
  readonly ignoredChanges: readonly FileChange[];
  /** Refs whose old value is no ancestor of the new one. */
  readonly rewritten: readonly string[];
  /** Refs that were moved by a push from here. */
  readonly pushed: readonly string[];
  readonly salvaged: readonly { readonly ref: string; readonly commit: string }[];
}
