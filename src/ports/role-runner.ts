import type { RoleEnd, RoleRequest, RoleSubject } from '../work/role.ts';

/** Runs an agent in a role, as a recorded workflow run. It writes nothing outside the worktree of the run. */
export interface RoleRunner {
  /**
   * Starts a run and drives it until it ends or waits. Calls `onAccepted` once, after the run gets its id and before an
   * agent starts; doesn't call it if the run can't start.
   */
  readonly run: (
    request: RoleRequest,
    onAccepted: (runId: string) => Promise<void>,
    signal: AbortSignal,
  ) => Promise<RoleState>;
  /** The state of an accepted run, even if another process started it. Starts nothing. */
  readonly look: (runId: string, request: RoleSubject) => Promise<RoleState>;
  /** Cancels a run. */
  readonly cancel: (runId: string) => Promise<void>;
}

/** A runner that can also resume a waiting run and check an external result against it. */
export interface ResumableRoleRunner extends RoleRunner {
  /** Checks a result from a user against the evidence of a run, like a result of the run's own agent. */
  readonly judge: (runId: string, subject: RoleSubject, result: unknown) => Promise<RoleState>;
  /** Resumes a run that waited and drives it like `run`. */
  readonly resume: (runId: string, subject: RoleSubject, signal: AbortSignal) => Promise<RoleState>;
}

export type RoleState =
  /** A live process drives the run. */
  | { readonly kind: 'driven' }
  /** Waits for approval at a gate, or until a time; no process has to drive it. */
  | {
      readonly kind: 'waiting';
      readonly reason: string;
      /** The gate is answered, but no process has resumed the run yet: call `resume`. */
      readonly answered?: true;
    }
  | { readonly kind: 'ended'; readonly end: RoleEnd }
  /** The run never started, or its process is gone and no other one will continue it. */
  | { readonly kind: 'lost'; readonly reason: string };
