import type { AnswerOrigin } from '../../contracts/run/answer-origin.ts';
import type { JournalEntry } from '../../contracts/work/work-event.ts';
import type { Spec } from '../../contracts/work/work-item.ts';
import { ROLES, type Role } from '../../contracts/work/work-results.ts';
import type { WorkCommand } from '../../work/command.ts';
import { planningStopped, unplannedSpecs } from '../../work/handlers/planning.ts';
import type { WorkLimits } from '../../work/limits.ts';
import { approvedSpecs, snapshotOf, type WorkState } from '../../work/state.ts';
import { addJob, type Cycle, type CyclePowers, lookAtRuns, runCycle } from './cycle.ts';
import { createMemory, type EngineMemory, type WorkEngineDeps } from './engine-memory.ts';
import type { Outcome } from './executor.ts';
import type { RunReport } from './jobs.ts';

export interface WorkSnapshot {
  readonly state: WorkState;
  readonly limits: WorkLimits;
  /** Approved specs that have changed since they were planned, or were never planned. */
  readonly unplanned: readonly Spec[];
  /** Why the planner is not asked any more, as text; null if it is. */
  readonly planningStopped: string | null;
}

export interface LoopOptions {
  readonly onEvent?: (entry: JournalEntry) => void;
  /** Roles whose runs are started; all by default. */
  readonly roles?: readonly Role[];
  /** Items that runs are started for; all by default. */
  readonly items?: readonly string[];
}

export type LoopEnd =
  /** `idle`: only users can continue. `problems` lists what failed too often and is not retried. */
  { readonly kind: 'idle' | 'stopped'; readonly problems: readonly string[] };

export interface WorkEngine {
  /** Completes unfinished commands and records the ends of runs. Starts no agent. */
  readonly recover: () => Promise<void>;
  /** One round. Runs continue in the background. */
  readonly cycle: (options?: LoopOptions) => Promise<Cycle>;
  readonly runUntilIdle: (signal: AbortSignal, options?: LoopOptions) => Promise<LoopEnd>;
  /** Runs until the signal fires; then stops its agents and records that. */
  readonly watch: (signal: AbortSignal, options?: LoopOptions) => Promise<LoopEnd>;
  /** Executes a user's command, under the same guards. */
  readonly ask: (
    command: Exclude<WorkCommand, RequestCommand>,
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
    options?: Pick<LoopOptions, 'onEvent'>,
  ) => Promise<RunReport>;
  readonly review: WorkEngine['dispatch'];
  readonly plan: (
    person: string,
    signal: AbortSignal,
    options?: Pick<LoopOptions, 'onEvent'>,
  ) => Promise<RunReport>;
  /** The journal's state, with what runs wait for. Writes nothing. */
  readonly snapshot: () => Promise<WorkSnapshot>;
}

type RequestCommand = Extract<WorkCommand, { readonly kind: `request_${Role}_run` }>;

/** How often to look for changes by other processes. */
const POLL_MS = 1000;

export function createWorkEngine(deps: WorkEngineDeps): WorkEngine {
  const memory = createMemory(deps);
  const { executor } = memory;

  const person = (name: string, from?: AnswerOrigin) =>
    ({ kind: 'person', name, ...(from === undefined ? {} : { from }) }) as const;
  const housekeep = async () => {
    while ((await runCycle(memory, IDLE_POWERS)).moved);
  };

  /** Starts a run for a user and waits until it has ended. */
  const request = async (
    choose: (state: WorkState) => RequestCommand,
    name: string,
    signal: AbortSignal,
    { onEvent }: Pick<LoopOptions, 'onEvent'> = {},
  ): Promise<RunReport> => {
    await housekeep();
    if (onEvent !== undefined) memory.listeners.add(onEvent);
    const command = choose(executor.state);
    const job = addJob(memory, { key: `person/${deps.newKey()}`, by: person(name), command });
    const stop = () => job.stop();
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop);
    try {
      return await job.ended;
    } finally {
      signal.removeEventListener('abort', stop);
      if (onEvent !== undefined) memory.listeners.delete(onEvent);
    }
  };

  return {
    recover: housekeep,
    cycle: (options) => runCycle(memory, powersOf(options ?? {})),
    runUntilIdle: (signal, options) => loop(memory, signal, options ?? {}, true),
    watch: (signal, options) => loop(memory, signal, options ?? {}, false),
    ask: (command, name, key = deps.newKey(), from) =>
      executor.execute({ key: `person/${key}`, by: person(name, from), command }),
    dispatch: (itemId, name, signal, options) =>
      request(() => ({ kind: 'request_implementor_run', itemId }), name, signal, options),
    review: (itemId, name, signal, options) =>
      request(
        ({ items }) => {
          const revisionId = items.get(itemId)?.item.linkedRevision ?? '';
          return { kind: 'request_reviewer_run', itemId, revisionId };
        },
        name,
        signal,
        options,
      ),
    plan: (name, signal, options) =>
      request(
        (state) => ({ kind: 'request_planner_run', specs: approvedSpecs(state) }),
        name,
        signal,
        options,
      ),
    snapshot: async () => {
      await executor.catchUp();
      await lookAtRuns(memory, { roles: new Set(), ends: false });
      const state = snapshotOf(executor.state);
      return {
        state,
        limits: memory.limits(),
        unplanned: unplannedSpecs(state),
        planningStopped: planningStopped(state),
      };
    },
  };
}

const IDLE_POWERS: CyclePowers = { roles: new Set(), items: null, settles: false };

function powersOf({ roles, items }: LoopOptions): CyclePowers {
  const only = items === undefined ? null : new Set(items);
  return { roles: new Set(roles ?? ROLES), items: only, settles: true };
}

async function loop(
  memory: EngineMemory,
  signal: AbortSignal,
  options: LoopOptions,
  untilIdle: boolean,
): Promise<LoopEnd> {
  const { onEvent } = options;
  if (onEvent !== undefined) memory.listeners.add(onEvent);
  try {
    const powers = powersOf(options);
    while (!signal.aborted) {
      const cycle = await runCycle(memory, powers);
      if (cycle.moved) continue;
      if (untilIdle && isIdle(memory, cycle)) return { kind: 'idle', problems: problemsOf(memory) };
      await pause(memory, signal);
    }
    return { kind: 'stopped', problems: problemsOf(memory) };
  } finally {
    await stopAll(memory);
    if (onEvent !== undefined) memory.listeners.delete(onEvent);
  }
}

function isIdle(memory: EngineMemory, cycle: Cycle): boolean {
  return (
    memory.jobs.size === 0 &&
    memory.resuming.size === 0 &&
    memory.settling === null &&
    memory.drivenElsewhere.size === 0 &&
    cycle.held === 0
  );
}

function problemsOf(memory: EngineMemory): readonly string[] {
  const stopped = planningStopped(memory.executor.state);
  const setbacks = [...memory.setbacks].map(([key, { reason }]) => `${key}: ${reason}`);
  return [...(stopped === null ? [] : [stopped]), ...setbacks];
}

/** Waits until a run of this process ends, or until the next poll. */
async function pause({ bell, deps }: EngineMemory, signal: AbortSignal): Promise<void> {
  const done = new AbortController();
  const either = AbortSignal.any([signal, done.signal]);
  await Promise.race([bell.wait(either), deps.clock.sleep(POLL_MS, either)]);
  done.abort();
}

/** Stops all background tasks and waits until their ends are recorded. */
async function stopAll(memory: EngineMemory): Promise<void> {
  memory.settling?.controller.abort();
  const background = [...memory.jobs, ...memory.resuming.values()];
  for (const task of background) task.stop();
  await Promise.allSettled([memory.settling?.promise, ...background.map((task) => task.ended)]);
}
