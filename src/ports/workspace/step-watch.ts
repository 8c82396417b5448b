import type { FileChange, HiddenChange, Notice, RefState } from '../../contracts/run/workspace-change.ts';
import type { RunWorkspace } from './workspace.ts';

/** Detects changes of an agent step beyond tracked files: refs, HEAD, hooks, git configuration, ignored files. */
export interface StepWatcher {
  readonly watch: (request: WatchRequest) => Promise<StepWatch>;
}

export interface WatchRequest {
  readonly workspace: RunWorkspace;
  readonly stepId: string;
  /** A sandboxed step can't reach the user's checkout, so it isn't compared. */
  readonly sandboxed: boolean;
  /** Ignored files are compared only if this returns true for them. */
  readonly forbids: (path: string) => boolean;
}

export interface StepWatch {
  /**
   * Restores the control files of the workspace's git folder. Call it first, once the step's processes have ended.
   */
  readonly settle: () => Promise<Settled>;
  readonly compare: (changes: readonly FileChange[]) => Promise<StepTraces>;
}

export interface Settled {
  readonly changes: readonly HiddenChange[];
  /** Whether the step deleted the checkout itself. */
  readonly checkoutGone: boolean;
}

export interface StepTraces {
  readonly hidden: readonly HiddenChange[];
  readonly ignoredChanges: readonly FileChange[];
  readonly refsBefore: RefState;
  readonly refsAfter: RefState;
  /** Refs whose old value is not an ancestor of the new one. */
  readonly rewritten: readonly string[];
  readonly salvaged: readonly { readonly ref: string; readonly commit: string }[];
  readonly notices: readonly Notice[];
}
