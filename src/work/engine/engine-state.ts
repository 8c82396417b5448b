import type { WorkEvent } from '../../contracts/work/work-event.ts';
import type { WaitingRun, WorkLimits } from '../items/limits.ts';
import type { WorkState } from '../items/state.ts';
import { itemOf, type RequestedCommand, type RequestedRun, roleOf } from './command.ts';
import type { EngineEffect, Outcome, SessionRequest } from './protocol.ts';

/** What a decision reads and never changes. */
export interface EngineFacts {
  /** The fold of the journal. */
  readonly work: WorkState;
  readonly nowMs: number;
  readonly settings: EngineSettings;
}

export interface EngineSettings extends Pick<WorkLimits, 'slots' | 'scopeOf'> {
  /** How often an item goes back to an implementor by itself after a review. */
  readonly maxRounds: number;
}

/** The engine's memory between decisions, per process. It may be lost: the journal has everything that must survive. */
export interface EngineState {
  readonly session: Session | null;
  readonly round: Round;
  /** Runs that this process drives, from the request to the recorded end, by the key of the request. */
  readonly jobs: ReadonlyMap<string, Job>;
  /** Accepted runs that are being resumed after an answer. */
  readonly resuming: ReadonlySet<string>;
  /** Accepted runs that wait. */
  readonly waitingRuns: ReadonlyMap<string, WaitingRun>;
  /** Accepted runs that another process drives. */
  readonly drivenElsewhere: ReadonlySet<string>;
  /** Failures by key: how often, and when the next retry is due. */
  readonly backoffs: ReadonlyMap<string, Backoff>;
  /** Refused runs, with the journal's position: until it advances, they would be refused again. */
  readonly refusedAt: ReadonlyMap<string, number>;
  /** Entries that the handlers have not seen. Null before the first round, which looks at everything. */
  readonly unseen: readonly WorkEvent[] | null;
  /** The commits whose checks were last requested, and when to request them again. */
  readonly checks: { readonly areRunning: boolean; readonly heads: string; readonly notBeforeMs: number };
  /** Whether a background task has ended since the round began, so that another round may find more. */
  readonly hasTaskEnded: boolean;
  /** Number of waits so far; it makes their task names unique. */
  readonly waits: number;
}

export interface Session extends SessionRequest {
  readonly isStopping: boolean;
}

/** One pass over everything: record changes outside, look at runs, execute the commands that the handlers request. */
export type Round =
  | { readonly kind: 'none' | 'reading' | 'looking' }
  | { readonly kind: 'executing'; readonly requests: readonly RequestedCommand[] }
  | { readonly kind: 'waiting'; readonly task: string };

export interface Job {
  readonly requested: RequestedRun;
  /** Null until the runner has an id for the run. */
  readonly runId: string | null;
  /** The outcome of `accept_run`; null before that. */
  readonly acceptance: Outcome | null;
  /** A run that is stopped does not count as a failure of its item. */
  readonly isStopping: boolean;
}

export interface Backoff {
  readonly count: number;
  readonly reason: string;
  readonly notBeforeMs: number;
}

export const NEW_ENGINE: EngineState = {
  session: null,
  round: { kind: 'none' },
  jobs: new Map(),
  resuming: new Set(),
  waitingRuns: new Map(),
  drivenElsewhere: new Set(),
  backoffs: new Map(),
  refusedAt: new Map(),
  unseen: null,
  checks: { areRunning: false, heads: '', notBeforeMs: 0 },
  hasTaskEnded: false,
  waits: 0,
};

/** The run of a job, once the journal has it. */
export function acceptedRunOf({ runId, acceptance }: Job): string | null {
  return acceptance?.kind === 'done' || acceptance?.kind === 'done_before' ? runId : null;
}

/** Whether this process drives the run. */
export function drivesRun({ jobs, resuming }: EngineState, runId: string): boolean {
  return resuming.has(runId) || [...jobs.values()].some((job) => job.runId === runId);
}

/** The inputs of handlers and guards that are not in the journal. */
export function describeLimits(state: EngineState, settings: EngineSettings): WorkLimits {
  const starting = [...state.jobs.values()]
    .filter((job) => acceptedRunOf(job) === null)
    .map(({ requested: { command } }) => ({ itemId: itemOf(command), role: roleOf(command) }));
  const items = state.session?.items ?? null;
  return {
    slots: settings.slots,
    scopeOf: settings.scopeOf,
    starting: new Map(
      starting.flatMap(({ itemId, role }) => (itemId === null ? [] : [[itemId, role] as const])),
    ),
    startsPlanner: starting.some(({ role }) => role === 'planner'),
    waitingRuns: state.waitingRuns,
    ...(items === null ? {} : { onlyItems: items }),
  };
}

export function findActiveBackoff({ backoffs }: EngineState, key: string, nowMs: number): Backoff | null {
  const backoff = backoffs.get(key);
  return backoff !== undefined && backoff.notBeforeMs > nowMs ? backoff : null;
}

/** A decision while it is being made. */
export interface Draft extends EngineFacts {
  state: EngineState;
  readonly effects: EngineEffect[];
}

export function updateState(draft: Draft, change: Partial<EngineState>): void {
  draft.state = { ...draft.state, ...change };
}

const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 60_000;

/** A problem delays the next attempt, with exponential backoff; a success clears earlier problems. */
export function recordAttempt(draft: Draft, key: string, problem: string | null): void {
  const backoffs = new Map(draft.state.backoffs);
  const count = (backoffs.get(key)?.count ?? 0) + 1;
  const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** (count - 1), LONGEST_PAUSE_MS);
  if (problem === null) backoffs.delete(key);
  else backoffs.set(key, { count, reason: problem, notBeforeMs: draft.nowMs + pauseMs });
  updateState(draft, { backoffs });
}

export function withoutKey<T>(entries: ReadonlyMap<string, T>, key: string): ReadonlyMap<string, T> {
  return new Map([...entries].filter(([each]) => each !== key));
}
