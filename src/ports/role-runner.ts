import type { RoleEnd, RoleRequest, RoleSubject } from '../work/role.ts';

// Values that the pure core decides about; whoever uses the port has them from here.
export type {
  EarlierWork,
  GivenItem,
  GivenSpec,
  RoleEnd,
  RoleRequest,
  RoleSubject,
} from '../work/role.ts';

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

export type RoleState =
  /** A living process drives it. */
  | { readonly kind: 'driven' }
  /** For a person at a gate, or until a time: nobody has to drive it. */
  | { readonly kind: 'waiting'; readonly reason: string }
  | { readonly kind: 'ended'; readonly end: RoleEnd }
  /** It never started, or nobody drives it and nobody will. */
  | { readonly kind: 'lost'; readonly reason: string };
