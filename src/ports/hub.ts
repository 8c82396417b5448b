import type { RunLease } from './run-store.ts';
import type { Workspace } from './workspace/workspace.ts';

/** The git repository through which the workers of an engine exchange bases, snapshots, salvages and branches. */
export interface Hub {
  /** Fails if the hub can't be reached. */
  readonly check: () => Promise<void>;
  /** Makes the base commit of a run available to every worker, before the run is submitted. */
  readonly offerBase: (runId: string, commit: string) => Promise<void>;
  /** Fetches the base of a run into the user's repository, if it isn't there. */
  readonly fetchBase: (runId: string, commit: string) => Promise<void>;
  /** Fetches the snapshots, the salvages and the branch of a run into the user's repository. */
  readonly fetchRun: (runId: string, branchName: string) => Promise<void>;
  /**
   * The workspace of one run, shared through the hub: each snapshot, salvage and branch is pushed before the call that
   * made it returns, so before an event can name it, and a workspace that another machine created is recreated here.
   */
  readonly share: (workspace: Workspace, run: SharedRun) => Workspace;
}

export interface SharedRun {
  /** The lease under which this process writes to the run now. */
  readonly lease: () => RunLease;
  /** The snapshot that the run is at; null if nothing has changed. */
  readonly snapshot: () => string | null;
}
