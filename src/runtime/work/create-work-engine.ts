/**
 * Drives the work item engine: performs the effects of `decide` through the ports and passes their results back as
 * inputs. `decide` makes all decisions and never waits.
 */

import type { JournalEntry } from '../../contracts/work/work-event.ts';
import { type PlannerResult, ROLES } from '../../contracts/work/work-results.ts';
import type { Clock } from '../../ports/clock.ts';
import type { DiskSpace } from '../../ports/work/disk-space.ts';
import type { RoleRunner, RoleState } from '../../ports/work/role-runner.ts';
import type { SpecFolder } from '../../ports/work/spec-folder.ts';
import type { WorkJournal } from '../../ports/work/work-journal.ts';
import type { WorkProvider } from '../../ports/work/work-provider.ts';
import { isDiskFull } from '../../text/error-code.ts';
import { messageOf } from '../../text/error-message.ts';
import { createFailEvent, type RequestedRun, type RunRequest } from '../../work/engine/command.ts';
import { decide } from '../../work/engine/decide.ts';
import { describeLimits, type EngineState, NEW_ENGINE } from '../../work/engine/engine-state.ts';
import { explainPlanningStop, findUnplannedSpecs } from '../../work/engine/handlers.ts';
import { findJobKey } from '../../work/engine/jobs.ts';
import type {
  EngineEffect,
  EngineInput,
  ExecutedCommand,
  RunReport,
  SessionEnd,
  SessionRequest,
} from '../../work/engine/protocol.ts';
import {
  createAcceptCommand,
  createConflictEvent,
  describeState,
  describeSubject,
  listRunsToSee,
} from '../../work/engine/run-end.ts';
import type { ReadLabels } from '../../work/items/labels.ts';
import { rememberScopes } from '../../work/items/limits.ts';
import { findOpenQuestions } from '../../work/items/questions.ts';
import { copyState, findApprovedSpecs, type WorkState } from '../../work/items/state.ts';
import { createUnabortedSignal } from '../never-aborted.ts';
import { createCommandExecutor } from './command-executor.ts';
import { lookAtRuns, recordExternalChanges } from './look-outside.ts';
import { createQuestionNotifications, type QuestionTargets } from './question-notifications.ts';
import { buildRequest } from './role-request.ts';
import { createSpaceWaiter } from './space-waiter.ts';
import type { RunOptions, SessionOptions, WorkEngine } from './work-engine.ts';

export interface WorkEngineDeps {
  readonly journal: WorkJournal;
  readonly provider: WorkProvider;
  readonly runner: RoleRunner;
  readonly specs: SpecFolder;
  readonly clock: Clock;
  readonly disk: DiskSpace;
  /** Where to send that an item needs a user; null if nothing is configured. */
  readonly notify: QuestionTargets | null;
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

/** Effects that write wait for space before they start. */
const WRITING: ReadonlySet<EngineEffect['kind']> = new Set([
  'record_external_changes',
  'execute',
  'start_role',
  'record_failed_start',
  'resume_run',
  'run_checks',
]);

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

  /** Whether a session starts new work. */
  const canContinue = () =>
    engine.session !== null && engine.session.until !== 'settled' && !engine.session.isStopping;
  const reportProblem = (problem: string) => {
    for (const report of problemListeners) report(problem);
  };
  const space = createSpaceWaiter({ ...deps, canWait: canContinue, report: reportProblem });
  const questions =
    deps.notify === null
      ? null
      : createQuestionNotifications({
          ...deps.notify,
          clock,
          findQuestions: () => findOpenQuestions({ state: work, limits: describeLimits(engine, settings) }),
          asOnlySender: (target, signal, send) =>
            deps.journal.withSender(target, signal, async () => {
              await executor.catchUp();
              await send();
            }),
          record: (event) => executor.record(async () => [event]),
        });

  const feed = (input: EngineInput): void => {
    const decision = decide({ work, nowMs: clock.now().getTime(), settings }, engine, input);
    engine = decision.state;
    for (const effect of decision.effects) start(effect);
  };

  const start = (effect: EngineEffect): void => {
    const controller = new AbortController();
    if ('task' in effect && effect.kind !== 'stop') tasks.set(effect.task, controller);
    const work = () => perform(effect, controller.signal);
    void (WRITING.has(effect.kind) ? space.perform(work, controller.signal) : work()).then(
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

  const perform = async (effect: EngineEffect, signal: AbortSignal): Promise<EngineInput | null> => {
    switch (effect.kind) {
      case 'record_external_changes':
        if (canContinue()) questions?.send();
        return recordExternalChanges(
          { specs, provider, executor, maxRounds: deps.maxRounds },
          effect.readsProvider,
        );
      case 'look_at_runs':
        return { kind: 'runs_seen', seen: await lookAtRuns(runner, effect.runs) };
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
          describeProblem,
        );
        return { kind: 'resume_ended', runId: effect.runId, problem };
      }
      case 'run_checks':
        return {
          kind: 'checks_ended',
          problem: await provider.settle(signal).then(() => null, describeProblem),
        };
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

  /** Runs a role if the guards allow it. If the runner throws, the run is lost with that reason. */
  const startRole = async (requested: RequestedRun, signal: AbortSignal): Promise<EngineInput> => {
    const { key } = requested;
    const refusal = await executor.checkGuards(requested);
    if (refusal !== null) return { kind: 'start_refused', key, refusal };
    const state = await runRole(requested, signal).catch((error: unknown): RoleState => {
      if (isDiskFull(error)) throw error;
      return { kind: 'lost', reason: messageOf(error) };
    });
    return { kind: 'runner_returned', key, state: await excuseFullDisk(state) };
  };

  /** A run that stops because the disk is full is resumed once there is space again. */
  const runRole = async (requested: RequestedRun, signal: AbortSignal): Promise<RoleState> => {
    const request = await buildRequest(work, specs, requested.command);
    if (request === null) return { kind: 'lost', reason: 'its item or revision no longer exists' };
    const accepted: string[] = [];
    const accept = async (runId: string) => {
      await acceptRun(requested, runId);
      accepted.push(runId);
    };
    return runner.run(request, accept, signal).catch((error: unknown) => {
      const [runId] = accepted;
      const run = runId === undefined ? undefined : work.runs.get(runId);
      const subject = run === undefined ? null : describeSubject(work, run);
      if (!isDiskFull(error) || runId === undefined || subject === null || !canContinue()) throw error;
      reportProblem(`run ${runId} stopped: ${messageOf(error)}`);
      return space.perform(() => runner.resume(runId, subject, signal), signal);
    });
  };

  /** A failure while the disk is full says nothing about the item. */
  const excuseFullDisk = async (state: RoleState): Promise<RoleState> => {
    const hasFailed = state.kind === 'lost' || (state.kind === 'ended' && !state.end.ok);
    const problem = hasFailed && canContinue() ? await space.explainFullDisk() : null;
    if (problem === null) return state;
    return { kind: 'lost', reason: `${problem}; ${describeState(state)}`, isDiskFull: true };
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
    try {
      return await request<SessionEnd>(
        input,
        { kind: 'stop_requested' },
        { ...options, signal },
        (waiter) => {
          sessionWaiter = waiter;
        },
      );
    } finally {
      await questions?.settle();
    }
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
      for (const { runId, state } of await lookAtRuns(runner, listRunsToSee(work, engine)))
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

/** The problem of an effect that is tried again later; a full disk is waited out instead. */
function describeProblem(error: unknown): string {
  if (isDiskFull(error)) throw error;
  return messageOf(error);
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
