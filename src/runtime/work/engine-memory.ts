import type { JournalEntry, WorkEvent } from '../../contracts/work/work-event.ts';
import type { PlannerResult } from '../../contracts/work/work-results.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ResumableRoleRunner, RoleRunner } from '../../ports/role-runner.ts';
import type { SpecFolder } from '../../ports/spec-folder.ts';
import type { WorkJournal } from '../../ports/work-journal.ts';
import type { WorkProvider } from '../../ports/work-provider.ts';
import type { ReadLabels } from '../../work/apply/planner.ts';
import type { WorkLimits } from '../../work/limits.ts';
import type { WorkState } from '../../work/state.ts';
import { type Bell, createBell } from './bell.ts';
import { createExecutor, type Executor } from './executor.ts';
import type { Job } from './jobs.ts';

export interface WorkEngineDeps {
  readonly journal: WorkJournal;
  readonly provider: WorkProvider;
  readonly runner: RoleRunner & Partial<Pick<ResumableRoleRunner, 'resume'>>;
  readonly specs: SpecFolder;
  readonly clock: Clock;
  /** Unique keys, for commands of users. */
  readonly newKey: () => string;
  readonly jobs: number;
  /** The paths under "In Scope" in a body. */
  readonly scopeOf: (body: string) => readonly string[];
  readonly readLabels: ReadLabels;
  /** Checks a planner's result against the current items; returns what is wrong. */
  readonly checkPlan: (result: PlannerResult, state: WorkState) => readonly string[];
}

/** An engine's state in memory. All of it can be lost, because the journal has the rest. */
export interface EngineMemory {
  readonly deps: WorkEngineDeps;
  readonly executor: Executor;
  readonly bell: Bell;
  readonly jobs: Set<Job>;
  /** Accepted runs that wait, with the reason. */
  waitingRuns: ReadonlyMap<string, string>;
  /** Accepted runs that are being resumed after an answer, by id. */
  readonly resuming: Map<string, Resuming>;
  /** Accepted runs that another process drives. */
  drivenElsewhere: ReadonlySet<string>;
  /** Failures by key: how often, and when the next retry is due. */
  readonly setbacks: Map<string, Setback>;
  /** Refused runs, with the journal's position: until it advances, they would be refused again. */
  readonly refusedAt: Map<string, number>;
  readonly listeners: Set<(entry: JournalEntry) => void>;
  /** Items that runs are started for; null for all. */
  only: ReadonlySet<string> | null;
  /** Entries that the handlers have not seen yet. */
  unseen: WorkEvent[];
  /** The commits whose checks were last requested, and when to request them again. */
  settled: { readonly heads: string; readonly notBeforeMs: number };
  settling: { readonly promise: Promise<void>; readonly controller: AbortController } | null;
  /** The error of a background task, rethrown by the next cycle. */
  fatal: { readonly error: unknown } | null;
  readonly limits: () => WorkLimits;
}

export interface Resuming {
  readonly ended: Promise<void>;
  readonly stop: () => void;
}

export interface Setback {
  readonly count: number;
  readonly reason: string;
  readonly notBeforeMs: number;
}

export function createMemory(deps: WorkEngineDeps): EngineMemory {
  const scopes = new Map<string, readonly string[]>();
  const scopeOf = (body: string): readonly string[] => {
    const known = scopes.get(body) ?? deps.scopeOf(body);
    scopes.set(body, known);
    return known;
  };
  const memory: EngineMemory = {
    deps,
    executor: createExecutor({
      journal: deps.journal,
      provider: deps.provider,
      runner: deps.runner,
      readLabels: deps.readLabels,
      guards: () => ({ limits: memory.limits(), checkPlan: deps.checkPlan }),
      onEntry: (entry) => {
        memory.unseen.push(entry.event);
        for (const listener of memory.listeners) listener(entry);
      },
    }),
    bell: createBell(),
    jobs: new Set(),
    waitingRuns: new Map(),
    resuming: new Map(),
    drivenElsewhere: new Set(),
    setbacks: new Map(),
    refusedAt: new Map(),
    listeners: new Set(),
    only: null,
    unseen: [],
    settled: { heads: '', notBeforeMs: 0 },
    settling: null,
    fatal: null,
    limits: () => {
      const starting = [...memory.jobs].filter((job) => job.runId() === null);
      return {
        jobs: deps.jobs,
        scopeOf,
        starting: new Map(
          starting.flatMap(({ itemId, role }) => (itemId === null ? [] : [[itemId, role] as const])),
        ),
        startsPlanner: starting.some((job) => job.role === 'planner'),
        waitingRuns: memory.waitingRuns,
        ...(memory.only === null ? {} : { only: memory.only }),
      };
    },
  };
  return memory;
}

const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 60_000;

/** Retries with exponential backoff, so that a provider that is down isn't called constantly. */
export function noteSetback(memory: EngineMemory, key: string, error: unknown): void {
  const count = (memory.setbacks.get(key)?.count ?? 0) + 1;
  const pause = Math.min(FIRST_PAUSE_MS * 2 ** (count - 1), LONGEST_PAUSE_MS);
  const notBeforeMs = memory.deps.clock.now().getTime() + pause;
  const reason = error instanceof Error ? error.message : String(error);
  memory.setbacks.set(key, { count, reason, notBeforeMs });
}

export function activeSetback({ setbacks, deps }: EngineMemory, key: string): Setback | null {
  const setback = setbacks.get(key);
  return setback !== undefined && setback.notBeforeMs > deps.clock.now().getTime() ? setback : null;
}
