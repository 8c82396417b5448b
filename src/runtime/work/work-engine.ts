import type { AnswerOrigin } from '../../contracts/run/answer-origin.ts';
import type { JournalEntry } from '../../contracts/work/work-event.ts';
import type { Spec } from '../../contracts/work/work-item.ts';
import type { Role } from '../../contracts/work/work-results.ts';
import type { RunRequest, WorkCommand } from '../../work/engine/command.ts';
import type { Outcome, RunReport, SessionEnd } from '../../work/engine/protocol.ts';
import type { WorkLimits } from '../../work/items/limits.ts';
import type { WorkState } from '../../work/items/state.ts';

export interface WorkSnapshot {
  readonly state: WorkState;
  readonly limits: WorkLimits;
  /** Approved specs that have changed since they were planned, or were never planned. */
  readonly unplanned: readonly Spec[];
  /** Why no planner run is started any more; null if planning continues. */
  readonly planningStopped: string | null;
}

export interface RunOptions {
  readonly onEvent?: (entry: JournalEntry) => void;
  /** Problems that the engine waits out, such as a full disk. */
  readonly onProblem?: (message: string) => void;
}

export interface SessionOptions extends RunOptions {
  /** Roles whose runs are started; all by default. */
  readonly roles?: readonly Role[];
  /** Items that runs are started for; all by default. */
  readonly items?: readonly string[];
}

export interface WorkEngine {
  /** Completes unfinished commands and records the ends of runs. Starts no agent. */
  readonly recover: () => Promise<void>;
  /** Runs until only users can continue, or until the signal fires. */
  readonly runUntilIdle: (signal: AbortSignal, options?: SessionOptions) => Promise<SessionEnd>;
  /** Runs until the signal fires; then stops its agents and records that. */
  readonly watch: (signal: AbortSignal, options?: SessionOptions) => Promise<SessionEnd>;
  /** Executes a user's command, under the same guards. */
  readonly executeCommand: (
    command: Exclude<WorkCommand, RunRequest>,
    person: string,
    /** Set if the same command must not be executed twice. */
    key?: string,
    /** The origin of the answer, according to the operating system. */
    from?: AnswerOrigin,
  ) => Promise<Outcome>;
  /** Starts an implementor run for an item on a user's request, and waits for its end. */
  readonly dispatch: (
    itemId: string,
    person: string,
    signal: AbortSignal,
    options?: RunOptions,
  ) => Promise<RunReport>;
  readonly review: WorkEngine['dispatch'];
  readonly plan: (person: string, signal: AbortSignal, options?: RunOptions) => Promise<RunReport>;
  /** The journal's state, with the reasons why runs wait. Writes nothing. */
  readonly snapshot: () => Promise<WorkSnapshot>;
}
