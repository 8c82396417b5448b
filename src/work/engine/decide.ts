/**
 * Decides what the engine of work items does next: input by input, without side effects. The driver performs the effects
 * and passes their results back as inputs.
 *
 * A session is a sequence of rounds. Runs, resumed runs and checks continue in the background between rounds; each of
 * them that ends starts another round. While a session stops, running tasks end and are recorded, and no new one starts.
 */

import { countTakenPlaces, findBusyItems } from '../items/limits.ts';
import { type ActiveRun, FAILURE_LIMIT } from '../items/state.ts';
import { isRunRequest, itemOf, type RequestedCommand, type RequestedRun, roleOf } from './command.ts';
import {
  describeLimits,
  type EngineFacts,
  type EngineState,
  findActiveSetback,
  noteAttempt,
  type Turn,
  update,
  withoutKey,
} from './engine-state.ts';
import { collectCommands, planningStopped } from './handlers.ts';
import {
  concludeJob,
  endJob,
  isMoved,
  leaveRole,
  startJob,
  stopJob,
  stopMovedJobs,
  updateJob,
} from './jobs.ts';
import type { EngineEffect, EngineInput, ExecutedCommand, SeenRun, SessionRequest } from './protocol.ts';
import { commandAtEnd, describeSubject, giveUp, runsToSee } from './run-end.ts';

export interface EngineDecision {
  readonly state: EngineState;
  readonly effects: readonly EngineEffect[];
}

/** How often to look for changes by other processes. */
const POLL_MS = 1000;
/** How soon to ask again for checks that run elsewhere. */
const CHECKS_AGAIN_MS = 1000;
/** The keys of setbacks that belong to no command. */
const READING = 'read';
const CHECKS = 'settle';

export function decide(facts: EngineFacts, state: EngineState, input: EngineInput): EngineDecision {
  const turn: Turn = { ...facts, state, effects: [] };
  apply(turn, input);
  continueSession(turn);
  return { state: turn.state, effects: turn.effects };
}

function apply(turn: Turn, input: EngineInput): void {
  const { state } = turn;
  switch (input.kind) {
    case 'session_requested':
      beginSession(turn, input.session);
      return;
    case 'stop_requested':
      stopSession(turn);
      return;
    case 'run_requested':
      startJob(turn, input.requested);
      return;
    case 'run_stop_requested':
      stopJob(turn, input.key);
      return;
    case 'entries_read':
      update(turn, { unseen: state.unseen && [...state.unseen, ...input.events] });
      return;
    case 'outside_recorded':
      if (state.round.kind !== 'reading') return;
      if (input.readsProvider) noteAttempt(turn, READING, input.problem);
      lookAtRuns(turn);
      return;
    case 'runs_seen':
      if (state.round.kind === 'looking') requestCommands(turn, input.seen);
      return;
    case 'commands_executed':
      if (input.job !== null) concludeJob(turn, input.job, input.results);
      else if (state.round.kind === 'executing') startRuns(turn, state.round.requests, input.results);
      return;
    case 'role_refused':
      endJob(turn, input.key, { kind: 'refused', ...input.refusal });
      return;
    case 'role_offered':
      updateJob(turn, input.key, { runId: input.runId });
      return;
    case 'role_answered':
      updateJob(turn, input.key, { acceptance: input.outcome });
      return;
    case 'role_left':
      leaveRole(turn, input.key, input.state);
      return;
    case 'failed_start_recorded':
      endJob(turn, input.key, { kind: 'not_started', reason: input.reason });
      return;
    case 'resume_ended':
      if (input.problem !== null) noteAttempt(turn, resumeTask(input.runId), input.problem);
      update(turn, { resuming: withoutId(state.resuming, input.runId), isStirred: true });
      return;
    case 'checks_ended':
      noteAttempt(turn, CHECKS, input.problem);
      update(turn, {
        checks: { ...state.checks, areRunning: false, notBeforeMs: turn.nowMs + CHECKS_AGAIN_MS },
        isStirred: true,
      });
      return;
    case 'time_passed':
      if (state.round.kind === 'waiting' && state.round.task === input.task) beginRound(turn);
      return;
    case 'effect_failed':
      forgetEffect(turn, input.effect);
      stopSession(turn);
      return;
  }
}

function beginSession(turn: Turn, session: SessionRequest): void {
  if (turn.state.session !== null) throw new Error('the engine of work items has a session already');
  update(turn, { session: { ...session, isStopping: false } });
  beginRound(turn);
}

function beginRound(turn: Turn): void {
  const readsProvider = findActiveSetback(turn.state, READING, turn.nowMs) === null;
  update(turn, { round: { kind: 'reading' }, isStirred: false });
  turn.effects.push({ kind: 'record_outside', readsProvider });
}

/** Looks at accepted runs that this process does not drive. The first process that sees a run's end applies it. */
function lookAtRuns(turn: Turn): void {
  if (endIfStopping(turn)) return;
  update(turn, { round: { kind: 'looking' } });
  turn.effects.push({ kind: 'look_at_runs', runs: runsToSee(turn.work, turn.state) });
}

/** Asks the handlers, and executes their commands together with those for ended runs. */
function requestCommands(turn: Turn, seen: readonly SeenRun[]): void {
  if (endIfStopping(turn)) return;
  const ends = concludeSeenRuns(turn, seen);
  const { work, nowMs, settings } = turn;
  const events = [...(turn.state.unseen ?? []), { type: 'looked' } as const];
  update(turn, { unseen: [] });
  const requests = [...ends, ...collectCommands(events, work, describeLimits(turn.state, settings))];
  const due = requests.filter(
    ({ key, command }) => !isRunRequest(command) && findActiveSetback(turn.state, key, nowMs) === null,
  );
  if (due.length === 0) {
    startRuns(turn, requests, []);
    return;
  }
  // Items become ready independently of each other, so a plan with hundreds of items is executed in one batch.
  const ready = due.filter(makesReady);
  const others = due.filter((requested) => !makesReady(requested)).map((requested) => [requested]);
  update(turn, { round: { kind: 'executing', requests } });
  turn.effects.push({
    kind: 'execute',
    job: null,
    batches: ready.length === 0 ? others : [ready, ...others],
  });
}

function makesReady({ command }: RequestedCommand): boolean {
  return command.kind === 'transition' && command.to === 'ready';
}

/** Resumes answered runs, and returns the commands for those that have ended or are no longer needed. */
function concludeSeenRuns(turn: Turn, seen: readonly SeenRun[]): readonly RequestedCommand[] {
  const waitingRuns = new Map<string, string>();
  const drivenElsewhere = new Set<string>();
  const commands = seen.flatMap(({ runId, state }) => {
    const run = turn.work.runs.get(runId);
    if (run === undefined) return [];
    if (state.kind === 'driven') drivenElsewhere.add(runId);
    if (state.kind === 'waiting') {
      if (state.answered === true && resumeRun(turn, run)) return [];
      if (isMoved(turn.work, run)) return [giveUp(run, 'its item was moved while it waited', false)];
      waitingRuns.set(runId, state.reason);
    }
    // A lost run died with the process that drove it, so it doesn't count as a failure of the item.
    return commandAtEnd(run, state, state.kind === 'ended') ?? [];
  });
  // A place may have become free without a journal entry.
  const isSame = [...waitingRuns.keys()].join() === [...turn.state.waitingRuns.keys()].join();
  update(turn, { waitingRuns, drivenElsewhere, ...(isSame ? {} : { refusedAt: new Map() }) });
  return commands;
}

function resumeRun(turn: Turn, run: ActiveRun): boolean {
  const task = resumeTask(run.runId);
  const subject = describeSubject(turn.work, run);
  if (subject === null || turn.state.session?.roles.has(run.role) !== true) return false;
  if (findActiveSetback(turn.state, task, turn.nowMs) !== null) return false;
  update(turn, { resuming: new Set(turn.state.resuming).add(run.runId) });
  turn.effects.push({ kind: 'resume_run', task, runId: run.runId, subject });
  return true;
}

function resumeTask(runId: string): string {
  return `resume/${runId}`;
}

/** Starts the requested runs after all other commands of the round, and ends the round. */
function startRuns(
  turn: Turn,
  requests: readonly RequestedCommand[],
  results: readonly ExecutedCommand[],
): void {
  for (const { requested, outcome } of results)
    noteAttempt(turn, requested.key, outcome.kind === 'failed' ? outcome.reason : null);
  if (endIfStopping(turn)) return;
  let moved = results.some(({ outcome }) => outcome.kind === 'done');
  let held = 0;
  for (const { key, by, command } of requests) {
    if (isRunRequest(command)) {
      if (turn.state.session?.roles.has(roleOf(command)) !== true) continue;
      if (turn.state.refusedAt.get(key) === turn.work.seq) continue;
      const requested = { key, by, command };
      const starts = findActiveSetback(turn.state, key, turn.nowMs) === null && canStart(turn, requested);
      if (starts) startJob(turn, requested);
      moved ||= starts;
    }
    const setback = findActiveSetback(turn.state, key, turn.nowMs);
    held += setback !== null && setback.count < FAILURE_LIMIT ? 1 : 0;
  }
  const reading = turn.state.setbacks.get(READING);
  held += reading !== undefined && reading.count < FAILURE_LIMIT ? 1 : 0;
  stopMovedJobs(turn);
  endRound(turn, moved, held + startChecks(turn));
}

/** A user's request may have started a run since the handlers looked. */
function canStart({ state, work, settings }: Turn, { command }: RequestedRun): boolean {
  const limits = describeLimits(state, settings);
  const itemId = itemOf(command);
  if (itemId === null) return !limits.startsPlanner;
  return !findBusyItems(work, limits).has(itemId) && countTakenPlaces(work, limits) < settings.jobs;
}

/** Starts the checks that items in review wait for. Returns the number of pending ones. */
function startChecks(turn: Turn): number {
  const { state, work, nowMs } = turn;
  if (state.session?.runsChecks !== true) return 0;
  const heads = [...work.revisions.values()]
    .filter(({ pipeline }) => pipeline.status === 'pending')
    .filter(({ workItemID }) => work.items.get(workItemID)?.item.status === 'review')
    .map(({ headSHA }) => headSHA);
  const setback = findActiveSetback(state, CHECKS, nowMs);
  if (setback !== null && setback.count >= FAILURE_LIMIT) return 0;
  if (heads.length === 0 || setback !== null || state.checks.areRunning) return heads.length;
  if (state.checks.heads === heads.join(' ') && state.checks.notBeforeMs > nowMs) return heads.length;
  update(turn, { checks: { areRunning: true, heads: heads.join(' '), notBeforeMs: 0 } });
  turn.effects.push({ kind: 'run_checks', task: CHECKS });
  return heads.length;
}

/** `held` counts commands that are retried later, and revisions with pending checks. */
function endRound(turn: Turn, moved: boolean, held: number): void {
  const { session, isStirred, drivenElsewhere, waits } = turn.state;
  const isIdle = held === 0 && !isStirred && !hasTasks(turn.state) && drivenElsewhere.size === 0;
  if (moved) beginRound(turn);
  else if (session?.until === 'settled' || (session?.until === 'idle' && isIdle)) endSession(turn, 'idle');
  else if (isStirred) beginRound(turn);
  else {
    const task = `wait/${waits + 1}`;
    update(turn, { round: { kind: 'waiting', task }, waits: waits + 1 });
    turn.effects.push({ kind: 'wait', task, ms: POLL_MS });
  }
}

function hasTasks({ jobs, resuming, checks }: EngineState): boolean {
  return jobs.size > 0 || resuming.size > 0 || checks.areRunning;
}

function stopSession(turn: Turn): void {
  const { session, jobs, resuming, checks, round } = turn.state;
  if (session === null || session.isStopping) return;
  update(turn, { session: { ...session, isStopping: true } });
  for (const key of jobs.keys()) stopJob(turn, key);
  for (const runId of resuming) turn.effects.push({ kind: 'stop', task: resumeTask(runId) });
  if (checks.areRunning) turn.effects.push({ kind: 'stop', task: CHECKS });
  if (round.kind !== 'waiting') return;
  turn.effects.push({ kind: 'stop', task: round.task });
  endIfStopping(turn);
}

/** Ends the round if the session stops. */
function endIfStopping(turn: Turn): boolean {
  const isStopping = turn.state.session?.isStopping === true;
  if (isStopping) update(turn, { round: { kind: 'none' } });
  return isStopping;
}

/** Ends a stopping session that has no task left; begins a round if a task has ended while the session waited. */
function continueSession(turn: Turn): void {
  const { session, round, isStirred } = turn.state;
  if (session?.isStopping === true) {
    if (round.kind === 'none' && !hasTasks(turn.state)) endSession(turn, 'stopped');
  } else if (isStirred && round.kind === 'waiting') {
    turn.effects.push({ kind: 'stop', task: round.task });
    beginRound(turn);
  }
}

function endSession(turn: Turn, kind: 'idle' | 'stopped'): void {
  const stopped = planningStopped(turn.work);
  const setbacks = [...turn.state.setbacks].map(([key, { reason }]) => `${key}: ${reason}`);
  const problems = [...(stopped === null ? [] : [stopped]), ...setbacks];
  update(turn, { session: null, round: { kind: 'none' } });
  turn.effects.push({ kind: 'end_session', end: { kind, problems } });
}

/** Nothing will come back from an effect that threw. */
function forgetEffect(turn: Turn, effect: EngineEffect): void {
  const { jobs, resuming, checks } = turn.state;
  switch (effect.kind) {
    case 'record_outside':
    case 'look_at_runs':
    case 'wait':
      update(turn, { round: { kind: 'none' } });
      return;
    case 'execute':
      update(
        turn,
        effect.job === null ? { round: { kind: 'none' } } : { jobs: withoutKey(jobs, effect.job) },
      );
      return;
    case 'start_role':
    case 'record_failed_start':
      update(turn, { jobs: withoutKey(jobs, effect.requested.key) });
      return;
    case 'resume_run':
      update(turn, { resuming: withoutId(resuming, effect.runId) });
      return;
    case 'run_checks':
      update(turn, { checks: { ...checks, areRunning: false } });
      return;
    case 'stop':
    case 'report_run':
    case 'end_session':
      return;
  }
}

function withoutId(ids: ReadonlySet<string>, id: string): ReadonlySet<string> {
  return new Set([...ids].filter((each) => each !== id));
}
