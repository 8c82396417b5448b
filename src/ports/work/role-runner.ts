import type * as roles from '../../work/engine/role.ts';
import type { RoleRequest, RoleSubject } from '../../work/engine/role.ts';

/** Runs an agent in a role, as a recorded workflow run. It writes nothing outside the checkout of the run. */
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
  readonly readState: (runId: string, request: RoleSubject) => Promise<RoleState>;
  /** Resumes a run that waited and drives it like `run`. */
  readonly resume: (runId: string, subject: RoleSubject, signal: AbortSignal) => Promise<RoleState>;
  /** Cancels a run. */
  readonly cancel: (runId: string, reason: string) => Promise<void>;
}

/** A runner that can also check an external result against a run. */
export interface ResultCheckingRunner extends RoleRunner {
  /** Checks a result from a user against the evidence of a run, like a result of the run's own agent. */
  readonly checkResult: (runId: string, subject: RoleSubject, result: unknown) => Promise<RoleState>;
}

/** Defined beside the pure code that reads it. */
export type RoleState = roles.RoleState;
