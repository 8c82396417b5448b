import type { WorkEvent } from '../../contracts/work/work-event.ts';
import type { Role } from '../../contracts/work/work-results.ts';
import type { StackConflict } from '../items/state.ts';
import type { RequestedCommand, RequestedRun } from './command.ts';
import type { Refusal } from './refusal.ts';
import type { RoleState, RoleSubject, WaitingState } from './role.ts';

/** The result of a command. */
export type Outcome =
  | { readonly kind: 'done' }
  /** The same command was executed earlier, by this or another process. */
  | { readonly kind: 'done_before' }
  | ({ readonly kind: 'refused' } & Refusal)
  | { readonly kind: 'failed'; readonly reason: string; readonly help: string | null };

export interface ExecutedCommand {
  readonly requested: RequestedCommand;
  readonly outcome: Outcome;
}

/** The state in which this process leaves a run that it drove. */
export type Conclusion =
  | { readonly kind: 'driven' }
  | WaitingState
  /** Its result was applied or refused, or it had none and was abandoned. */
  | { readonly kind: 'ended'; readonly ok: boolean; readonly reason: string; readonly outcome: Outcome };

export type RunReport =
  | ({ readonly kind: 'refused' } & Refusal)
  /** `conflict`: the blockers of the item can't be merged into one base. */
  | { readonly kind: 'not_started'; readonly reason: string; readonly conflict: StackConflict | null }
  | { readonly kind: 'accepted'; readonly runId: string; readonly conclusion: Conclusion };

/** What a session may start, and when it ends. */
export interface SessionRequest {
  /** `settled`: when a round changes nothing; `idle`: when only users can continue; `stopped`: on request. */
  readonly until: 'settled' | 'idle' | 'stopped';
  readonly roles: ReadonlySet<Role>;
  /** Items that runs are started for; null for all. */
  readonly items: ReadonlySet<string> | null;
  /** Whether to run the checks of revisions. */
  readonly runsChecks: boolean;
}

/** `problems` lists what failed too often and is not retried. */
export interface SessionEnd {
  readonly kind: 'idle' | 'stopped';
  readonly problems: readonly string[];
}

/** Requests of the caller, and results of effects. */
export type EngineInput =
  | { readonly kind: 'session_requested'; readonly session: SessionRequest }
  | { readonly kind: 'stop_requested' }
  | { readonly kind: 'run_requested'; readonly requested: RequestedRun }
  | { readonly kind: 'run_stop_requested'; readonly key: string }
  /** The journal has new entries, of this or another process. */
  | { readonly kind: 'entries_read'; readonly events: readonly WorkEvent[] }
  /** `problem`: why the provider could not be read. */
  | {
      readonly kind: 'external_changes_recorded';
      readonly readsProvider: boolean;
      readonly problem: string | null;
    }
  | { readonly kind: 'runs_seen'; readonly seen: readonly SeenRun[] }
  | {
      readonly kind: 'commands_executed';
      readonly job: string | null;
      readonly results: readonly ExecutedCommand[];
    }
  /** The guards refused a run before it started. */
  | { readonly kind: 'start_refused'; readonly key: string; readonly refusal: Refusal }
  /** A requested run has its id, and no agent has started yet. */
  | { readonly kind: 'run_created'; readonly key: string; readonly runId: string }
  /** The outcome of `accept_run` for the offered run. */
  | { readonly kind: 'acceptance_decided'; readonly key: string; readonly outcome: Outcome }
  /** The runner has returned. */
  | { readonly kind: 'runner_returned'; readonly key: string; readonly state: RoleState }
  | {
      readonly kind: 'failed_start_recorded';
      readonly key: string;
      readonly reason: string;
      readonly conflict: StackConflict | null;
    }
  /** A resumed run ended or waits again; `problem` if it could not be resumed. */
  | { readonly kind: 'resume_ended'; readonly runId: string; readonly problem: string | null }
  | { readonly kind: 'checks_ended'; readonly problem: string | null }
  | { readonly kind: 'time_passed'; readonly task: string }
  /** An effect threw. The session stops; the caller gets the error. */
  | { readonly kind: 'effect_failed'; readonly effect: EngineEffect };

export interface SeenRun {
  readonly runId: string;
  readonly state: RoleState;
}

/** Work for the driver. An effect with a `task` runs until it ends or until `stop` names the task. */
export type EngineEffect =
  /** Append changes of specs and, with `readsProvider`, of the provider to the journal. */
  | { readonly kind: 'record_external_changes'; readonly readsProvider: boolean }
  | { readonly kind: 'look_at_runs'; readonly runs: readonly RunToSee[] }
  /** Execute the batches in order. The commands of a batch are independent of each other. */
  | {
      readonly kind: 'execute';
      /** The job whose end is recorded; null for commands of a round. */
      readonly job: string | null;
      readonly batches: readonly (readonly RequestedCommand[])[];
    }
  | { readonly kind: 'start_role'; readonly task: string; readonly requested: RequestedRun }
  | {
      readonly kind: 'record_failed_start';
      readonly requested: RequestedRun;
      readonly reason: string;
      readonly conflict: StackConflict | null;
    }
  | {
      readonly kind: 'resume_run';
      readonly task: string;
      readonly runId: string;
      readonly subject: RoleSubject;
    }
  | { readonly kind: 'run_checks'; readonly task: string }
  | { readonly kind: 'wait'; readonly task: string; readonly ms: number }
  | { readonly kind: 'stop'; readonly task: string }
  | { readonly kind: 'report_run'; readonly key: string; readonly report: RunReport }
  | { readonly kind: 'end_session'; readonly end: SessionEnd };

export interface RunToSee {
  readonly runId: string;
  readonly subject: RoleSubject;
}
