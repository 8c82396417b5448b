/** Jobs: runs that this process drives, from the request to the recorded end. */

import type { ActiveRun, WorkState } from '../items/state.ts';
import { itemOf, type RequestedRun, roleOf } from './command.ts';
import { acceptedRunOf, type Job, noteAttempt, type Turn, update, withoutKey } from './engine-state.ts';
import type { Conclusion, ExecutedCommand, RunReport } from './protocol.ts';
import type { RoleState } from './role.ts';
import { activeRunOf, commandAtEnd, concludeRun, describeState } from './run-end.ts';

export function startJob(turn: Turn, requested: RequestedRun): void {
  const job: Job = { requested, runId: null, acceptance: null, isStopping: false };
  update(turn, { jobs: new Map(turn.state.jobs).set(requested.key, job) });
  turn.effects.push({ kind: 'start_role', task: requested.key, requested });
}

export function updateJob(turn: Turn, key: string, change: Partial<Job>): void {
  const job = turn.state.jobs.get(key);
  if (job !== undefined) update(turn, { jobs: new Map(turn.state.jobs).set(key, { ...job, ...change }) });
}

export function stopJob(turn: Turn, key: string): void {
  updateJob(turn, key, { isStopping: true });
  turn.effects.push({ kind: 'stop', task: key });
}

/** Stops the work on items that a user or a planner has moved meanwhile. */
export function stopMovedJobs(turn: Turn): void {
  for (const [key, job] of turn.state.jobs) {
    const runId = acceptedRunOf(job);
    const itemId = itemOf(job.requested.command);
    if (runId === null || itemId === null || job.isStopping) continue;
    const moved = isMoved(turn.work, { role: roleOf(job.requested.command), itemId });
    if (moved || !turn.work.runs.has(runId)) stopJob(turn, key);
  }
}

/** Whether the item of a run has left the status in which the run works on it. */
export function isMoved({ items }: WorkState, { role, itemId }: Pick<ActiveRun, 'role' | 'itemId'>): boolean {
  if (itemId === null) return false;
  return items.get(itemId)?.item.status !== (role === 'reviewer' ? 'review' : 'in-progress');
}

/** The runner has returned: records the end of the run, or that it could not start. */
export function leaveRole(turn: Turn, key: string, left: RoleState): void {
  const job = turn.state.jobs.get(key);
  if (job === undefined) return;
  const { acceptance, isStopping } = job;
  const runId = acceptedRunOf(job);
  const state: RoleState =
    isStopping && left.kind === 'lost' ? { kind: 'lost', reason: 'it was stopped' } : left;
  if (acceptance?.kind === 'refused') endJob(turn, key, acceptance);
  else if (runId === null) reportFailedStart(turn, job, describeState(state));
  else recordEnd(turn, job, runId, state);
}

function reportFailedStart(turn: Turn, { requested, acceptance, isStopping }: Job, reason: string): void {
  // If the provider refused to accept the run, that is already recorded, and not a failed start.
  if (isStopping || acceptance !== null) endJob(turn, requested.key, { kind: 'not_started', reason });
  else turn.effects.push({ kind: 'record_failed_start', requested, reason });
}

function recordEnd(turn: Turn, { requested, isStopping }: Job, runId: string, state: RoleState): void {
  const run = turn.work.runs.get(runId);
  const hasResult = state.kind === 'ended' && state.end.ok;
  const isConcluded = run === undefined && !hasResult;
  const command = isConcluded ? null : commandAtEnd(run ?? activeRunOf(requested, runId), state, !isStopping);
  if (command !== null) turn.effects.push({ kind: 'execute', job: requested.key, batches: [[command]] });
  else {
    const conclusion = concludeWithoutCommand(state, isConcluded);
    endJob(turn, requested.key, { kind: 'accepted', runId, conclusion });
  }
}

/** A run may be concluded already: a user cancelled it, or another process saw its end first. */
function concludeWithoutCommand(state: RoleState, isConcluded: boolean): Conclusion {
  if (isConcluded)
    return { kind: 'ended', ok: false, reason: describeState(state), outcome: { kind: 'done_before' } };
  return state.kind === 'waiting' ? { kind: 'waiting', reason: state.reason } : { kind: 'driven' };
}

export function concludeJob(turn: Turn, key: string, [result]: readonly ExecutedCommand[]): void {
  const runId = turn.state.jobs.get(key)?.runId ?? null;
  if (runId === null || result === undefined) return;
  const conclusion = concludeRun(result.requested.command, result.outcome);
  endJob(turn, key, { kind: 'accepted', runId, conclusion });
}

export function endJob(turn: Turn, key: string, report: RunReport): void {
  const job = turn.state.jobs.get(key);
  if (job === undefined) return;
  const { jobs, refusedAt, waitingRuns } = turn.state;
  update(turn, { jobs: withoutKey(jobs, key), isStirred: true });
  switch (report.kind) {
    case 'refused':
      update(turn, { refusedAt: new Map(refusedAt).set(key, turn.work.seq) });
      break;
    case 'not_started':
      if (!job.isStopping) noteAttempt(turn, key, report.reason);
      break;
    case 'accepted':
      noteAttempt(turn, key, null);
      if (report.conclusion.kind === 'waiting')
        update(turn, { waitingRuns: new Map(waitingRuns).set(report.runId, report.conclusion.reason) });
      break;
  }
  turn.effects.push({ kind: 'report_run', key, report });
}
