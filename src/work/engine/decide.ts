/**
 * Decides the next actions of the work item engine, one input at a time and without side effects. The driver performs
 * the effects and passes their results back as inputs.
 *
 * A session is a sequence of rounds. Runs, resumed runs and checks continue in the background between rounds, and the end
 * of one starts another round. A stopping session starts no new task, and ends when its tasks have ended.
 */

import { countUsedSlots, findBusyItems, type WaitingRun } from '../items/limits.ts';
import { type ActiveRun, FAILURE_LIMIT } from '../items/state.ts';
import { isRunRequest, itemOf, type RequestedCommand, type RequestedRun, roleOf } from './command.ts';
import {
  type Draft,
  describeLimits,
  type EngineFacts,
  type EngineState,
  findActiveBackoff,
  recordAttempt,
  updateState,
  withoutKey,
} from './engine-state.ts';
import { collectCommands, explainPlanningStop } from './handlers.ts';
import {
  concludeJob,
  endJob,
  findJobKey,
  handleReturn,
  isMoved,
  startJob,
  stopJob,
  stopMovedJobs,
  updateJob,
} from './jobs.ts';
import type { EngineEffect, EngineInput, ExecutedCommand, SeenRun, SessionRequest } from './protocol.ts';
import { createEndCommand, createGiveUpCommand, describeSubject, listRunsToSee } from './run-end.ts';

export interface EngineDecision {
  readonly state: EngineState;
  readonly effects: readonly EngineEffect[];
}

/** How often to look for changes by other processes. */
const POLL_MS = 1000;
/** How soon to ask again for checks that run elsewhere. */
const CHECKS_AGAIN_MS = 1000;
/** The keys of backoffs that belong to no command. */
const READING = 'read';
const CHECKS = 'settle';

export function decide(facts: EngineFacts, state: EngineState, input: EngineInput): EngineDecision {
  const draft: Draft = { ...facts, state, effects: [] };
  applyInput(draft, input);
  continueSession(draft);
  return { state: draft.state, effects: draft.effects };
}

function applyInput(draft: Draft, input: EngineInput): void {
  const { state } = draft;
  switch (input.kind) {
    case 'session_requested':
      beginSession(draft, input.session);
      return;
    case 'stop_requested':
      stopSession(draft);
      return;
    case 'run_requested':
      startJob(draft, input.requested);
      return;
    case 'run_stop_requested':
      stopJob(draft, input.key);
      return;
    case 'entries_read':
      updateState(draft, { unseen: state.unseen && [...state.unseen, ...input.events] });
      return;
    case 'external_changes_recorded':
      if (state.round.kind !== 'reading') return;
      if (input.readsProvider) recordAttempt(draft, READING, input.problem);
      lookAtRuns(draft);
      return;
    case 'runs_seen':
      if (state.round.kind === 'looking') requestCommands(draft, input.seen);
      return;
    case 'commands_executed':
      if (input.job !== null) concludeJob(draft, input.job, input.results);
      else if (state.round.kind === 'executing') startRuns(draft, state.round.requests, input.results);
      return;
    case 'start_refused':
      endJob(draft, input.key, { kind: 'refused', ...input.refusal });
      return;
    case 'run_created':
      updateJob(draft, input.key, { runId: input.runId });
      return;
    case 'acceptance_decided':
      updateJob(draft, input.key, { acceptance: input.outcome });
      return;
    case 'runner_returned':
      handleReturn(draft, input.key, input.state);
      return;
    case 'failed_start_recorded':
      endJob(draft, input.key, { kind: 'not_started', reason: input.reason, conflict: input.conflict });
      return;
    case 'resume_ended':
      recordAttempt(draft, resumeTask(input.runId), input.problem);
      updateState(draft, { resuming: withoutId(state.resuming, input.runId), hasTaskEnded: true });
      return;
    case 'checks_ended':
      recordAttempt(draft, CHECKS, input.problem);
      updateState(draft, {
        checks: { ...state.checks, areRunning: false, notBeforeMs: draft.nowMs + CHECKS_AGAIN_MS },
        hasTaskEnded: true,
      });
      return;
    case 'time_passed':
      if (state.round.kind === 'waiting' && state.round.task === input.task) beginRound(draft);
      return;
    case 'effect_failed':
      forgetEffect(draft, input.effect);
      stopSession(draft);
      return;
  }
}

function beginSession(draft: Draft, session: SessionRequest): void {
  if (draft.state.session !== null) throw new Error('the work item engine already has a session');
  updateState(draft, { session: { ...session, isStopping: false } });
  beginRound(draft);
}

function beginRound(draft: Draft): void {
  const readsProvider = findActiveBackoff(draft.state, READING, draft.nowMs) === null;
  updateState(draft, { round: { kind: 'reading' }, hasTaskEnded: false });
  draft.effects.push({ kind: 'record_external_changes', readsProvider });
}

/** Looks at accepted runs that this process does not drive. The first process that sees a run's end applies it. */
function lookAtRuns(draft: Draft): void {
  if (endIfStopping(draft)) return;
  updateState(draft, { round: { kind: 'looking' } });
  draft.effects.push({ kind: 'look_at_runs', runs: listRunsToSee(draft.work, draft.state) });
}

/** Asks the handlers, and executes their commands together with those for ended runs. */
function requestCommands(draft: Draft, seen: readonly SeenRun[]): void {
  if (endIfStopping(draft)) return;
  const ends = concludeSeenRuns(draft, seen);
  const { work, nowMs, settings } = draft;
  const events = [...(draft.state.unseen ?? []), { type: 'looked' } as const];
  updateState(draft, { unseen: [] });
  const requests = [...ends, ...collectCommands(events, work, describeLimits(draft.state, settings))];
  const due = requests.filter(
    ({ key, command }) => !isRunRequest(command) && findActiveBackoff(draft.state, key, nowMs) === null,
  );
  if (due.length === 0) {
    startRuns(draft, requests, []);
    return;
  }
  // Items become ready independently of each other, so a plan with hundreds of items is executed in one batch.
  const ready = due.filter(makesReady);
  const others = due.filter((requested) => !makesReady(requested)).map((requested) => [requested]);
  updateState(draft, { round: { kind: 'executing', requests } });
  draft.effects.push({
    kind: 'execute',
    job: null,
    batches: ready.length === 0 ? others : [ready, ...others],
  });
}

function makesReady({ command }: RequestedCommand): boolean {
  return command.kind === 'transition' && command.to === 'ready';
}

/** Resumes runs that are due, and returns the commands for those that have ended or are no longer needed. */
function concludeSeenRuns(draft: Draft, seen: readonly SeenRun[]): readonly RequestedCommand[] {
  const before = [...draft.state.waitingRuns.keys()].join();
  const waitingRuns = new Map<string, WaitingRun>();
  for (const { runId, state } of seen) if (state.kind === 'waiting') waitingRuns.set(runId, state);
  updateState(draft, { waitingRuns });
  const drivenElsewhere = new Set<string>();
  const commands = seen.flatMap(({ runId, state }) => {
    const run = draft.work.runs.get(runId);
    if (run === undefined) return [];
    if (state.kind === 'driven') drivenElsewhere.add(runId);
    if (state.kind === 'waiting') {
      if (isMoved(draft.work, run))
        return [createGiveUpCommand(run, 'its item or a blocker changed while the run waited', false)];
      if (state.isDue === true) resumeRun(draft, run);
    }
    // A lost run died with the process that drove it, so it doesn't count as a failure of the item.
    const { maxRounds } = draft.settings;
    return createEndCommand(run, state, { countsAsFailure: state.kind === 'ended', maxRounds }) ?? [];
  });
  // A slot may have become free without a journal entry.
  const isSame = [...draft.state.waitingRuns.keys()].join() === before;
  updateState(draft, { drivenElsewhere, ...(isSame ? {} : { refusedAt: new Map() }) });
  return commands;
}

/** Resumes a run that waited, within the limit: a waiting run has no slot, a resumed one takes one. */
function resumeRun(draft: Draft, run: ActiveRun): void {
  const { work, settings, state } = draft;
  const task = resumeTask(run.runId);
  const subject = describeSubject(work, run);
  if (subject === null || state.session?.roles.has(run.role) !== true) return;
  if (findActiveBackoff(state, task, draft.nowMs) !== null) return;
  const hasSlot =
    run.itemId === null || countUsedSlots(work, describeLimits(state, settings)) < settings.slots;
  if (!hasSlot) return;
  updateState(draft, {
    resuming: new Set(state.resuming).add(run.runId),
    waitingRuns: withoutKey(state.waitingRuns, run.runId),
  });
  draft.effects.push({ kind: 'resume_run', task, runId: run.runId, subject });
}

function resumeTask(runId: string): string {
  return `resume/${runId}`;
}

/** Starts the requested runs after all other commands of the round, and ends the round. */
function startRuns(
  draft: Draft,
  requests: readonly RequestedCommand[],
  results: readonly ExecutedCommand[],
): void {
  for (const { requested, outcome } of results)
    recordAttempt(draft, requested.key, outcome.kind === 'failed' ? outcome.reason : null);
  if (endIfStopping(draft)) return;
  let hasProgress = results.some(({ outcome }) => outcome.kind === 'done');
  let pendingCount = 0;
  for (const { key, by, command } of requests) {
    if (isRunRequest(command)) {
      if (draft.state.session?.roles.has(roleOf(command)) !== true) continue;
      if (draft.state.refusedAt.get(key) === draft.work.seq) continue;
      const requested = { key, by, command };
      const starts = findActiveBackoff(draft.state, key, draft.nowMs) === null && canStart(draft, requested);
      if (starts) startJob(draft, requested);
      hasProgress ||= starts;
    }
    const backoff = findActiveBackoff(draft.state, key, draft.nowMs);
    pendingCount += backoff !== null && backoff.count < FAILURE_LIMIT ? 1 : 0;
  }
  const reading = draft.state.backoffs.get(READING);
  pendingCount += reading !== undefined && reading.count < FAILURE_LIMIT ? 1 : 0;
  stopMovedJobs(draft);
  endRound(draft, hasProgress, pendingCount + countRunsToResume(draft.state) + startChecks(draft));
}

/** Parked runs that the session resumes by itself. One that could not be resumed three times is left to a user. */
function countRunsToResume({ waitingRuns, session, backoffs }: EngineState): number {
  if (session === null || session.roles.size === 0) return 0;
  return [...waitingRuns].filter(([runId, { gate, until }]) => {
    const attempts = backoffs.get(resumeTask(runId))?.count ?? 0;
    return gate === undefined && until !== undefined && attempts < FAILURE_LIMIT;
  }).length;
}

/** A user's request may have started a run since the handlers looked. */
function canStart({ state, work, settings }: Draft, { command }: RequestedRun): boolean {
  const limits = describeLimits(state, settings);
  const itemId = itemOf(command);
  if (itemId === null) return !limits.startsPlanner;
  return !findBusyItems(work, limits).has(itemId) && countUsedSlots(work, limits) < settings.slots;
}

/** Starts the checks that items in review wait for. Returns the number of pending ones. */
function startChecks(draft: Draft): number {
  const { state, work, nowMs } = draft;
  if (state.session?.runsChecks !== true) return 0;
  const heads = [...work.revisions.values()]
    .filter(({ pipeline }) => pipeline.status === 'pending')
    .filter(({ workItemID }) => work.items.get(workItemID)?.item.status === 'review')
    .map(({ headSHA }) => headSHA);
  const backoff = findActiveBackoff(state, CHECKS, nowMs);
  if (backoff !== null && backoff.count >= FAILURE_LIMIT) return 0;
  if (heads.length === 0 || backoff !== null || state.checks.areRunning) return heads.length;
  if (state.checks.heads === heads.join(' ') && state.checks.notBeforeMs > nowMs) return heads.length;
  updateState(draft, { checks: { areRunning: true, heads: heads.join(' '), notBeforeMs: 0 } });
  draft.effects.push({ kind: 'run_checks', task: CHECKS });
  return heads.length;
}

/** `pendingCount` counts commands that are retried later, and revisions with pending checks. */
function endRound(draft: Draft, hasProgress: boolean, pendingCount: number): void {
  const { session, hasTaskEnded, drivenElsewhere, waits } = draft.state;
  const isIdle = pendingCount === 0 && !hasTaskEnded && !hasTasks(draft.state) && drivenElsewhere.size === 0;
  if (hasProgress) beginRound(draft);
  else if (session?.until === 'settled' || (session?.until === 'idle' && isIdle)) endSession(draft, 'idle');
  else if (hasTaskEnded) beginRound(draft);
  else {
    const task = `wait/${waits + 1}`;
    updateState(draft, { round: { kind: 'waiting', task }, waits: waits + 1 });
    draft.effects.push({ kind: 'wait', task, ms: POLL_MS });
  }
}

function hasTasks({ jobs, resuming, checks }: EngineState): boolean {
  return jobs.size > 0 || resuming.size > 0 || checks.areRunning;
}

function stopSession(draft: Draft): void {
  const { session, jobs, resuming, checks, round } = draft.state;
  if (session === null || session.isStopping) return;
  updateState(draft, { session: { ...session, isStopping: true } });
  for (const key of jobs.keys()) stopJob(draft, key);
  for (const runId of resuming) draft.effects.push({ kind: 'stop', task: resumeTask(runId) });
  if (checks.areRunning) draft.effects.push({ kind: 'stop', task: CHECKS });
  if (round.kind !== 'waiting') return;
  draft.effects.push({ kind: 'stop', task: round.task });
  endIfStopping(draft);
}

/** Ends the round if the session stops. */
function endIfStopping(draft: Draft): boolean {
  const isStopping = draft.state.session?.isStopping === true;
  if (isStopping) updateState(draft, { round: { kind: 'none' } });
  return isStopping;
}

/** Ends a stopping session that has no task left; begins a round if a task has ended while the session waited. */
function continueSession(draft: Draft): void {
  const { session, round, hasTaskEnded } = draft.state;
  if (session?.isStopping === true) {
    if (round.kind === 'none' && !hasTasks(draft.state)) endSession(draft, 'stopped');
  } else if (hasTaskEnded && round.kind === 'waiting') {
    draft.effects.push({ kind: 'stop', task: round.task });
    beginRound(draft);
  }
}

function endSession(draft: Draft, kind: 'idle' | 'stopped'): void {
  const stopped = explainPlanningStop(draft.work);
  const backoffs = [...draft.state.backoffs].map(([key, { reason }]) => `${key}: ${reason}`);
  const problems = [...(stopped === null ? [] : [stopped]), ...backoffs];
  updateState(draft, { session: null, round: { kind: 'none' } });
  draft.effects.push({ kind: 'end_session', end: { kind, problems } });
}

/** Removes the task of an effect that threw: no result will follow. */
function forgetEffect(draft: Draft, effect: EngineEffect): void {
  const { jobs, resuming, checks } = draft.state;
  const job = findJobKey(effect);
  if (job !== null) updateState(draft, { jobs: withoutKey(jobs, job) });
  else if (effect.kind === 'resume_run') updateState(draft, { resuming: withoutId(resuming, effect.runId) });
  else if (effect.kind === 'run_checks') updateState(draft, { checks: { ...checks, areRunning: false } });
  else updateState(draft, { round: { kind: 'none' } });
}

function withoutId(ids: ReadonlySet<string>, id: string): ReadonlySet<string> {
  return new Set([...ids].filter((each) => each !== id));
}
