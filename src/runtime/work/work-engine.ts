/**
 * Drives the work item engine: performs the effects of `decide` through the ports and passes their results back as
 * inputs. `decide` makes all decisions and never waits.
 */

import type { AnswerOrigin } from '../../contracts/run/answer-origin.ts';
import type { JournalEntry } from '../../contracts/work/work-event.ts';
import type { Spec } from '../../contracts/work/work-item.ts';
import { type PlannerResult, ROLES, type Role } from '../../contracts/work/work-results.ts';
import type { Clock } from '../../ports/clock.ts';
import type { RoleRunner, RoleState } from '../../ports/work/role-runner.ts';
import type { SpecFolder } from '../../ports/work/spec-folder.ts';
import type { WorkJournal } from '../../ports/work/work-journal.ts';
import type { WorkProvider } from '../../ports/work/work-provider.ts';
import { isDiskFull } from '../../text/error-code.ts';
import { messageOf } from '../../text/error-message.ts';
import {
  createFailEvent,
  type RequestedRun,
  type RunRequest,
  type WorkCommand,
} from '../../work/engine/command.ts';
import { decide } from '../../work/engine/decide.ts';
import { describeLimits, type EngineState, NEW_ENGINE } from '../../work/engine/engine-state.ts';
import { findForeignChanges, findSpecChanges } from '../../work/engine/foreign-changes.ts';
import { explainPlanningStop, findUnplannedSpecs } from '../../work/engine/handlers.ts';
import { findJobKey } from '../../work/engine/jobs.ts';
import type {
  EngineEffect,
  EngineInput,
  ExecutedCommand,
  Outcome,
  RunReport,
  RunToSee,
  SeenRun,
  SessionEnd,
  SessionRequest,
} from '../../work/engine/protocol.ts';
import { createAcceptCommand, createConflictEvent, listRunsToSee } from '../../work/engine/run-end.ts';
import type { ReadLabels } from '../../work/items/labels.ts';
import { rememberScopes, type WorkLimits } from '../../work/items/limits.ts';
import { copyState, findApprovedSpecs, type WorkState } from '../../work/items/state.ts';
import { createUnabortedSignal } from '../never-aborted.ts';
import { createCommandExecutor } from './command-executor.ts';
import { buildRequest } from './role-request.ts';

export interface WorkEngineDeps {
  readonly journal: WorkJournal;
  readonly provider: WorkProvider;
  readonly runner: RoleRunner;
  readonly specs: SpecFolder;
  readonly clock: Clock;
  /** Unique keys, for commands of users. */
  readonly newKey: () => string;
  /** Maximum number of items that agents work on at the same time. */
  readonly slots: number;
  /** How often an item goes back to an implementor by itself after a review. */
  readonly maxRounds: number;
  /** The paths under "In Scope" in a body. */
  readonly scopeOf: (body: string) => readonly string[];
  readonly readLabels: ReadLabels;
  /** Checks a planner's result against the current items; returns what is wrong. */
  readonly checkPlan: (result: PlannerResult, state: WorkState) => readonly string[];
}

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

/** How long to wait before a write to a full disk is tried again. */
const DISK_FULL_PAUSE_MS = 2000;

const RECOVERY: SessionRequest = { until: 'settled', roles: new Set(), items: null, runsChecks: false };

export function createWorkEngine(deps: WorkEngineDeps): WorkEngine {
  const { clock, runner, provider, specs } = deps;
  const settings = { slots: deps.slots, maxRounds: deps.maxRounds, scopeOf: rememberScopes(deps.scopeOf) };
  const tasks = new Map<string, AbortController>();
  const listeners = new Set<(entry: JournalEntry) => void>();
  const problemListeners = new Set<(message: string) => void>();
  const runWaiters = new Map<string, Waiter<RunReport>>();
  let sessionWaiter: Waiter<SessionEnd> | null = null;
  let engine: EngineState = NEW_ENGINE;
  /** The first error of an effect: a bug, or a journal that can't be written. No session survives it. */
  let failure: { readonly error: unknown } | null = null;

  const executor = createCommandExecutor({
    ...deps,
    guards: () => ({ limits: describeLimits(engine, settings), checkPlan: deps.checkPlan }),
    onEntries: (entries) => {
      feed({ kind: 'entries_read', events: entries.map(({ event }) => event) });
      for (const entry of entries) for (const listener of listeners) listener(entry);
    },
  });
  const work = executor.state;

  const feed = (input: EngineInput): void => {
    const decision = decide({ work, nowMs: clock.now().getTime(), settings }, engine, input);
    engine = decision.state;
    for (const effect of decision.effects) start(effect);
  };

  const start = (effect: EngineEffect): void => {
    const controller = new AbortController();
    if ('task' in effect && effect.kind !== 'stop') tasks.set(effect.task, controller);
    void performPatiently(effect, controller.signal).then(
      (input) => {
        if ('task' in effect) tasks.delete(effect.task);
        if (input !== null) feed(input);
      },
      (error: unknown) => {
        failure ??= { error };
        runWaiters.get(findJobKey(effect) ?? '')?.reject(error);
        feed({ kind: 'effect_failed', effect });
      },
    );
  };

  /** Waits until the disk has space again: a session that runs for a night outlives a full disk. */
  const performPatiently = async (effect: EngineEffect, signal: AbortSignal): Promise<EngineInput | null> => {
    for (;;)
      try {
        return await perform(effect, signal);
      } catch (error) {
        const { session } = engine;
        const canWait = session !== null && session.until !== 'settled' && !session.isStopping;
        if (!canWait || !isDiskFull(error)) throw error;
        await waitForSpace(error, signal);
      }
  };

  const waitForSpace = async (error: unknown, signal: AbortSignal): Promise<void> => {
    for (const report of problemListeners) report(`${messageOf(error)}; trying again`);
    await clock.sleep(DISK_FULL_PAUSE_MS, signal);
  };

  const perform = async (effect: EngineEffect, signal: AbortSignal): Promise<EngineInput | null> => {
    switch (effect.kind) {
      case 'record_external_changes':
        return recordExternalChanges(effect.readsProvider);
      case 'look_at_runs':
        return { kind: 'runs_seen', seen: await lookAtRuns(effect.runs) };
      case 'execute': {
        const results: ExecutedCommand[] = [];
        for (const batch of effect.batches) results.push(...(await executor.executeBatch(batch)));
        return { kind: 'commands_executed', job: effect.job, results };
      }
      case 'start_role':
        return startRole(effect.requested, signal);
      case 'record_failed_start': {
        const { requested, reason, conflict } = effect;
        const event =
          conflict === null ? createFailEvent(requested, reason) : createConflictEvent(requested, conflict);
        await executor.record(async () => [event]);
        return { kind: 'failed_start_recorded', key: requested.key, reason, conflict };
      }
      case 'resume_run': {
        const problem = await runner.resume(effect.runId, effect.subject, signal).then(
          // Resuming a run consumes its answer or its time, so a run that is still due was not resumed.
          (state) => (state.kind === 'waiting' && state.isDue === true ? state.reason : null),
          messageOf,
        );
        return { kind: 'resume_ended', runId: effect.runId, problem };
      }
      case 'run_checks':
        return { kind: 'checks_ended', problem: await provider.settle(signal).then(() => null, messageOf) };
      case 'wait':
        await clock.sleep(effect.ms, signal);
        return { kind: 'time_passed', task: effect.task };
      case 'stop':
        tasks.get(effect.task)?.abort();
        return null;
      case 'report_run':
        runWaiters.get(effect.key)?.resolve(effect.report);
        return null;
      case 'end_session':
        if (failure === null) sessionWaiter?.resolve(effect.end);
        else sessionWaiter?.reject(failure.error);
        return null;
    }
  };

  const recordExternalChanges = async (readsProvider: boolean): Promise<EngineInput> => {
    const reading = await specs.read();
    let problem: string | null = null;
    await executor.record(async (state) => {
      const changes = findSpecChanges(state, reading.specs);
      if (!readsProvider) return changes;
      try {
        return [...changes, ...findForeignChanges(state, await provider.read())];
      } catch (error) {
        problem = messageOf(error);
        return changes;
      }
    });
    return { kind: 'external_changes_recorded', readsProvider, problem };
  };

  const lookAtRuns = async (runs: readonly RunToSee[]): Promise<readonly SeenRun[]> => {
    const seen: SeenRun[] = [];
    for (const { runId, subject } of runs) {
      const state = await runner.readState(runId, subject).catch(
        // A user has to fix an unreadable record; other runs continue.
        (error: unknown): RoleState => ({
          kind: 'waiting',
          reason: `the record of run ${runId} can't be read: ${messageOf(error)}`,
        }),
      );
      seen.push({ runId, state });
    }
    return seen;
  };

  /** Runs a role if the guards allow it. If the runner throws, the run is lost with that reason. */
  const startRole = async (requested: RequestedRun, signal: AbortSignal): Promise<EngineInput> => {
    const { key } = requested;
    const refusal = await executor.checkGuards(requested);
    if (refusal !== null) return { kind: 'start_refused', key, refusal };
    const state = await runRole(requested, signal).catch(async (error: unknown): Promise<RoleState> => {
      if (!isDiskFull(error)) return { kind: 'lost', reason: messageOf(error) };
      await waitForSpace(error, signal);
      return { kind: 'lost', reason: messageOf(error), isDiskFull: true };
    });
    return { kind: 'runner_returned', key, state };
  };

  const runRole = async (requested: RequestedRun, signal: AbortSignal): Promise<RoleState> => {
    const request = await buildRequest(work, specs, requested.command);
    if (request === null) return { kind: 'lost', reason: 'its item or revision no longer exists' };
    return runner.run(request, (runId) => acceptRun(requested, runId), signal);
  };

  /** Adds the run to the journal before any agent starts. Throws if that is refused, which stops the runner. */
  const acceptRun = async (requested: RequestedRun, runId: string): Promise<void> => {
    feed({ kind: 'run_created', key: requested.key, runId });
    const outcome = await executor.execute(createAcceptCommand(requested, runId));
    feed({ kind: 'acceptance_decided', key: requested.key, outcome });
    if (outcome.kind === 'refused' || outcome.kind === 'failed')
      throw new Error(`the run was not accepted: ${outcome.reason}`);
  };

  /** Feeds the request and waits for its result. An abort feeds `stop`; the result still comes, when all has stopped. */
  const request = async <T>(
    input: EngineInput,
    stop: EngineInput,
    { signal, onEvent = () => {}, onProblem = () => {} }: RunOptions & { readonly signal: AbortSignal },
    setWaiter: (waiter: Waiter<T>) => void,
  ): Promise<T> => {
    const onAbort = () => feed(stop);
    listeners.add(onEvent);
    problemListeners.add(onProblem);
    signal.addEventListener('abort', onAbort);
    try {
      feed(input);
      const result = new Promise<T>((resolve, reject) => setWaiter({ resolve, reject }));
      if (signal.aborted) onAbort();
      return await result;
    } finally {
      signal.removeEventListener('abort', onAbort);
      listeners.delete(onEvent);
      problemListeners.delete(onProblem);
    }
  };

  const runSession = async (
    session: SessionRequest,
    signal: AbortSignal,
    options: RunOptions = {},
  ): Promise<SessionEnd> => {
    if (failure !== null) throw failure.error;
    const input: EngineInput = { kind: 'session_requested', session };
    return request<SessionEnd>(input, { kind: 'stop_requested' }, { ...options, signal }, (waiter) => {
      sessionWaiter = waiter;
    });
  };

  const recover = async (): Promise<void> => {
    await runSession(RECOVERY, createUnabortedSignal());
  };

  /** Starts a run for a user and waits until it has ended. An active session does what `recover` would do. */
  const requestRun = async (
    createCommand: (state: WorkState) => RunRequest,
    name: string,
    signal: AbortSignal,
    options: RunOptions = {},
  ): Promise<RunReport> => {
    if (engine.session === null) await recover();
    const key = `person/${deps.newKey()}`;
    const requested: RequestedRun = { key, by: { kind: 'person', name }, command: createCommand(work) };
    const stop: EngineInput = { kind: 'run_stop_requested', key };
    return request<RunReport>({ kind: 'run_requested', requested }, stop, { ...options, signal }, (waiter) =>
      runWaiters.set(key, waiter),
    ).finally(() => runWaiters.delete(key));
  };

  return {
    recover,
    runUntilIdle: (signal, options = {}) => runSession(describeSession('idle', options), signal, options),
    watch: (signal, options = {}) => runSession(describeSession('stopped', options), signal, options),
    executeCommand: (command, name, key = deps.newKey(), from) => {
      const by = { kind: 'person', name, ...(from === undefined ? {} : { from }) } as const;
      return executor.execute({ key: `person/${key}`, by, command });
    },
    dispatch: (itemId, name, signal, options) =>
      requestRun(() => ({ kind: 'request_implementor_run', itemId }), name, signal, options),
    review: (itemId, name, signal, options) => {
      const createCommand = ({ items }: WorkState): RunRequest => ({
        kind: 'request_reviewer_run',
        itemId,
        revisionId: items.get(itemId)?.item.linkedRevision ?? '',
      });
      return requestRun(createCommand, name, signal, options);
    },
    plan: (name, signal, options) => {
      const createCommand = (state: WorkState): RunRequest => ({
        kind: 'request_planner_run',
        specs: findApprovedSpecs(state),
      });
      return requestRun(createCommand, name, signal, options);
    },
    snapshot: async () => {
      await executor.catchUp();
      const waitingRuns = new Map(engine.waitingRuns);
      for (const { runId, state } of await lookAtRuns(listRunsToSee(work, engine)))
        if (state.kind === 'waiting') waitingRuns.set(runId, state);
        else waitingRuns.delete(runId);
      const state = copyState(work);
      return {
        state,
        limits: describeLimits({ ...engine, waitingRuns }, settings),
        unplanned: findUnplannedSpecs(state),
        planningStopped: explainPlanningStop(state),
      };
    },
  };
}

interface Waiter<T> {
  readonly resolve: (value: T) => void;
  readonly reject: (error: unknown) => void;
}

function describeSession(
  until: 'idle' | 'stopped',
  { roles = ROLES, items }: SessionOptions,
): SessionRequest {
  const only = items === undefined ? null : new Set(items);
  return { until, roles: new Set(roles), items: only, runsChecks: true };
}
