import type { RoleEnd, RoleRequest, RoleSubject } from '../work/role.ts';

/** Has an agent do the work of a role: a workflow run with its record. It writes nothing outside the worktree of the run. */
export interface RoleRunner {
  /**
   * Starts a run and stays with it. `onAccepted` is called once, when the run has an id and before an agent starts; it is not called
   * where the run can't start at all.
   */
  readonly run: (
    request: RoleRequest,
    onAccepted: (runId: string) => Promise<void>,
    signal: AbortSignal,
  ) => Promise<RoleState>;
  /** What has become of a run that was accepted, also by another process or before a crash. Starts nothing. */
  readonly look: (runId: string, request: RoleSubject) => Promise<RoleState>;
  /** Ends a run for good. */
  readonly cancel: (runId: string) => Promise<void>;
}

/** A runner that can also stay with a run that has waited, and hold against it what somebody brings. */
export interface ResumableRoleRunner extends RoleRunner {
  /** What a result comes to that a person brings, held against the evidence of a run as that of its own agent is. */
  readonly judge: (runId: string, subject: RoleSubject, result: unknown) => Promise<RoleState>;
  /** Takes up a run that waited, and stays with it as `run` does. */
  readonly resume: (runId: string, subject: RoleSubject, signal: AbortSignal) => Promise<RoleState>;
}

export type RoleState =
  /** A living process drives it. */
  | { readonly kind: 'driven' }
  /** For a person at a gate, or until a time: nobody has to drive it. */
  | {
      readonly kind: 'waiting';
      readonly reason: string;
      /** A person has answered, and nobody has taken the run up since: `resume` does. */
      readonly answered?: true;
    }
  | { readonly kind: 'ended'; readonly end: RoleEnd }
  /** It never started, or nobody drives it and nobody will. */
  | { readonly kind: 'lost'; readonly reason: string };
