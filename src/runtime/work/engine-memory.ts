import type { JournalEntry, WorkEvent } from '../../contracts/work-event.ts';
import type { PlannerResult } from '../../contracts/work-results.ts';
import type { Clock } from '../../ports/clock.ts';
import type { RoleRunner } from '../../ports/role-runner.ts';
import type { SpecFolder } from '../../ports/spec-folder.ts';
import type { WorkJournal } from '../../ports/work-journal.ts';
import type { WorkProvider } from '../../ports/work-provider.ts';
import type { ReadLabels } from '../../work/apply/planner.ts';
import type { WorkLimits } from '../../work/limits.ts';
import { specsKey, type WorkState } from '../../work/state.ts';
import { foreignEvents } from '../../work/sync.ts';
import { type Bell, createBell } from './bell.ts';
import { createExecutor, type Executor } from './executor.ts';
import type { Job } from './jobs.ts';

export interface WorkEngineDeps {
  readonly journal: WorkJournal;
  readonly provider: WorkProvider;
  readonly runner: RoleRunner;
  readonly specs: SpecFolder;
  readonly clock: Clock;
  /** Never the same twice: names the wishes of people. */
  readonly newKey: () => string;
  readonly jobs: number;
  /** What stands under In Scope of a body. */
  readonly scopeOf: (body: string) => readonly string[];
  readonly readLabels: ReadLabels;
  /** What is wrong with a planner's result, held against the items as they are now. */
  readonly checkPlan: (result: PlannerResult, state: WorkState) => readonly string[];
}

/** What an engine keeps in memory. All of it can be lost: the journal has the rest. */
export interface EngineMemory {
  readonly deps: WorkEngineDeps;
  readonly executor: Executor;
  readonly bell: Bell;
  readonly jobs: Set<Job>;
  /** Accepted runs that wait for somebody, and for what. */
  readonly waitingRuns: Map<string, string>;
  /** Accepted runs that another process drives. */
  readonly drivenElsewhere: Set<string>;
  /** Commands that failed, how often, and when they may be tried again. Settling is one of them. */
  readonly setbacks: Map<string, Setback>;
  /** Runs that were refused, and how far the journal was: until it goes on, they would be refused again. */
  readonly refusedAt: Map<string, number>;
  readonly listeners: Set<(entry: JournalEntry) => void>;
  /** Entries that handlers have not seen yet. */
  unseen: WorkEvent[];
  settling: { readonly promise: Promise<void>; readonly controller: AbortController } | null;
  /** What ended a background task: it belongs to whoever waits next. */
  fatal: { readonly error: unknown } | null;
  readonly limits: () => WorkLimits;
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
    drivenElsewhere: new Set(),
    setbacks: new Map(),
    refusedAt: new Map(),
    listeners: new Set(),
    unseen: [],
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
      };
    },
  };
  return memory;
}

/** Brings the journal up to what there is outside: specs, checks, and what somebody changed at the provider. */
export async function recordOutside({ deps, executor }: EngineMemory): Promise<void> {
  const { specs } = await deps.specs.read();
  await executor.record(async (state) => {
    const seen: readonly WorkEvent[] =
      specsFingerprint(state.specs) === specsFingerprint(specs)
        ? []
        : [{ type: 'specs_seen', specs: [...specs] }];
    return [...seen, ...foreignEvents(state, await deps.provider.read())];
  });
}

function specsFingerprint(specs: WorkState['specs']): string {
  return `${specsKey(specs)}\n${specs.map((spec) => spec.frontmatterStatus).join(' ')}`;
}
