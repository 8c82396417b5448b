/** Jobs: runs that this process drives, from the request to the recorded end. */

import { findChangedBlocker } from '../items/stack.ts';
import type { ActiveRun, WorkState } from '../items/state.ts';
import type { RequestedRun } from './command.ts';
import {
  acceptedRunOf,
  type Draft,
  type Job,
  recordAttempt,
  updateState,
  withoutKey,
} from './engine-state.ts';
import type { Conclusion, EngineEffect, ExecutedCommand, RunReport } from './protocol.ts';
import type { RoleState } from './role.ts';
import { concludeRun, createEndCommand, describeState, toActiveRun } from './run-end.ts';

export function startJob(draft: Draft, requested: RequestedRun): void {
  const job: Job = { requested, runId: null, acceptance: null, isStopping: false };
  updateState(draft, { jobs: new Map(draft.state.jobs).set(requested.key, job) });
  draft.effects.push({ kind: 'start_role', task: requested.key, requested });
}

/** The key of the job that an effect belongs to. */
export function findJobKey(effect: EngineEffect): string | null {
  if (effect.kind === 'execute') return effect.job;
  return 'requested' in effect ? effect.requested.key : null;
}

export function updateJob(draft: Draft, key: string, change: Partial<Job>): void {
  const job = draft.state.jobs.get(key);
  if (job !== undefined)
    updateState(draft, { jobs: new Map(draft.state.jobs).set(key, { ...job, ...change }) });
}

export function stopJob(draft: Draft, key: string): void {
  updateJob(draft, key, { isStopping: true });
  draft.effects.push({ kind: 'stop', task: key });
}

/** Stops the work on items that were moved meanwhile, or whose blockers have changed. */
export function stopMovedJobs(draft: Draft): void {
  for (const [key, job] of draft.state.jobs) {
    const runId = acceptedRunOf(job);
    if (runId === null || job.isStopping) continue;
    const run = draft.work.runs.get(runId);
    if (run === undefined || isMoved(draft.work, run)) stopJob(draft, key);
  }
}

/** Whether the item of a run has left the status in which the run works on it, or its base has changed. */
export function isMoved(work: WorkState, { role, itemId, stackedOn }: ActiveRun): boolean {
  if (itemId === null) return false;
  const status = work.items.get(itemId)?.item.status;
  if (status !== (role === 'reviewer' ? 'review' : 'in-progress')) return true;
  return findChangedBlocker(work, stackedOn) !== null;
}

/** The runner has returned: records the end of the run, or that it could not start. */
export function handleReturn(draft: Draft, key: string, left: RoleState): void {
  const job = draft.state.jobs.get(key);
  if (job === undefined) return;
  const { acceptance, isStopping } = job;
  const runId = acceptedRunOf(job);
  const state: RoleState =
    isStopping && left.kind === 'lost' ? { kind: 'lost', reason: 'it was stopped' } : left;
  if (acceptance?.kind === 'refused') endJob(draft, key, acceptance);
  else if (runId === null) reportFailedStart(draft, job, state);
  else recordEnd(draft, job, runId, state);
}

function reportFailedStart(draft: Draft, { requested, acceptance, isStopping }: Job, state: RoleState): void {
  const reason = describeState(state);
  const conflict = state.kind === 'lost' ? (state.conflict ?? null) : null;
  // If the provider refused to accept the run, that is already recorded, and not a failed start.
  if (isStopping || acceptance !== null)
    endJob(draft, requested.key, { kind: 'not_started', reason, conflict });
  else if (isDiskFull(state)) {
    endJob(draft, requested.key, { kind: 'not_started', reason, conflict });
    recordAttempt(draft, requested.key, null);
  } else draft.effects.push({ kind: 'record_failed_start', requested, reason, conflict });
}

/** A full disk is no failure of the item: the run is started again when the driver has waited. */
function isDiskFull(state: RoleState): boolean {
  return state.kind === 'lost' && state.isDiskFull === true;
}

function recordEnd(draft: Draft, { requested, isStopping }: Job, runId: string, state: RoleState): void {
  const run = draft.work.runs.get(runId);
  const hasResult = state.kind === 'ended' && state.end.ok;
  const isConcluded = run === undefined && !hasResult;
  const command = isConcluded
    ? null
    : createEndCommand(run ?? toActiveRun(requested, runId), state, {
        countsAsFailure: !isStopping && !isDiskFull(state),
        maxRounds: draft.settings.maxRounds,
      });
  if (command !== null) draft.effects.push({ kind: 'execute', job: requested.key, batches: [[command]] });
  else {
    const conclusion = concludeWithoutCommand(state, isConcluded);
    endJob(draft, requested.key, { kind: 'accepted', runId, conclusion });
  }
}

/** A run may be concluded already: a user cancelled it, or another process saw its end first. */
function concludeWithoutCommand(state: RoleState, isConcluded: boolean): Conclusion {
  if (isConcluded)
    return { kind: 'ended', ok: false, reason: describeState(state), outcome: { kind: 'done_before' } };
  return state.kind === 'waiting' ? state : { kind: 'driven' };
}

export function concludeJob(draft: Draft, key: string, [result]: readonly ExecutedCommand[]): void {
  const runId = draft.state.jobs.get(key)?.runId ?? null;
  if (runId === null || result === undefined) return;
  const conclusion = concludeRun(result.requested.command, result.outcome);
  endJob(draft, key, { kind: 'accepted', runId, conclusion });
}

export function endJob(draft: Draft, key: string, report: RunReport): void {
  const job = draft.state.jobs.get(key);
  if (job === undefined) return;
  const { jobs, refusedAt, waitingRuns } = draft.state;
  updateState(draft, { jobs: withoutKey(jobs, key), hasTaskEnded: true });
  switch (report.kind) {
    case 'refused':
      updateState(draft, { refusedAt: new Map(refusedAt).set(key, draft.work.seq) });
      break;
    case 'not_started':
      // A conflict is in the journal; the item waits until its blockers change.
      if (!job.isStopping && report.conflict === null) recordAttempt(draft, key, report.reason);
      break;
    case 'accepted':
      recordAttempt(draft, key, null);
      if (report.conclusion.kind === 'waiting')
        updateState(draft, { waitingRuns: new Map(waitingRuns).set(report.runId, report.conclusion) });
      break;
  }
  draft.effects.push({ kind: 'report_run', key, report });
}
