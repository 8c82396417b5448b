import type { Role } from '../../contracts/work/work-results.ts';
import type { RoleRunner, RoleState } from '../../ports/role-runner.ts';
import type { AskedCommand } from '../../work/command.ts';
import { askHandlers } from '../../work/handlers/all-handlers.ts';
import type { RoleSubject } from '../../work/role.ts';
import { type ActiveRun, FAILURE_LIMIT, type WorkState } from '../../work/state.ts';
import { commandAtEnd, giveUp } from './conclude.ts';
import { activeSetback, type EngineMemory, noteSetback } from './engine-memory.ts';
import type { Outcome } from './executor.ts';
import { type AskedRun, isRequest, type Job, type RunReport, roleOf, startJob } from './jobs.ts';
import { recordOutside, startSettling } from './outside.ts';
import { subjectOf } from './role-request.ts';

export interface Cycle {
  /** Whether something was done or started; then another cycle may find more. */
  readonly moved: boolean;
  /** Number of commands that failed and are retried later, and of revisions with pending checks. */
  readonly held: number;
}

/** What a cycle may start in the background. */
export interface CyclePowers {
  readonly roles: ReadonlySet<Role>;
  /** Items that runs may be started for; null for all. */
  readonly items: ReadonlySet<string> | null;
  /** Whether to run the checks of revisions. */
  readonly settles: boolean;
}

/** One round: records changes outside, checks on runs, asks the handlers for commands, and executes them. */
export async function runCycle(memory: EngineMemory, powers: CyclePowers): Promise<Cycle> {
  if (memory.fatal !== null) throw memory.fatal.error;
  memory.only = powers.items;
  let held = await recordOutside(memory);
  const ends = await lookAtRuns(memory, { roles: powers.roles, ends: true });
  const { executor } = memory;
  const events = [...memory.unseen, { type: 'looked' } as const];
  memory.unseen = [];
  const wishes = [...ends, ...askHandlers(events, executor.state, memory.limits())];
  const freed = new Set(
    wishes.filter((asked) => makesReady(asked) && activeSetback(memory, asked.key) === null),
  );
  let moved = await executeReady(memory, [...freed]);
  for (const asked of wishes) {
    const { command, key } = asked;
    if (isRequest(command) && !powers.roles.has(roleOf(command))) continue;
    if (memory.refusedAt.get(key) === executor.state.seq) continue;
    if (!freed.has(asked) && activeSetback(memory, key) === null)
      moved = (await executeCommand(memory, asked)) || moved;
    const setback = activeSetback(memory, key);
    held += setback !== null && setback.count < FAILURE_LIMIT ? 1 : 0;
  }
  stopMovedJobs(memory);
  if (powers.settles) held += startSettling(memory);
  return { moved, held };
}

async function executeCommand(memory: EngineMemory, asked: AskedCommand): Promise<boolean> {
  const { key, by, command } = asked;
  if (isRequest(command)) {
    addJob(memory, { key, by, command });
    return true;
  }
  return noteOutcome(memory, key, await memory.executor.execute(asked));
}

function noteOutcome(memory: EngineMemory, key: string, outcome: Outcome): boolean {
  if (outcome.kind === 'failed') noteSetback(memory, key, outcome.reason);
  else memory.setbacks.delete(key);
  return outcome.kind === 'done';
}

/** Items become ready independently of each other, so a plan with hundreds of items is executed in one batch. */
function makesReady({ command }: AskedCommand): boolean {
  return command.kind === 'transition' && command.to === 'ready';
}

async function executeReady(memory: EngineMemory, wishes: readonly AskedCommand[]): Promise<boolean> {
  const outcomes = wishes.length === 0 ? [] : await memory.executor.executeAll(wishes);
  return outcomes
    .map((outcome, index) => noteOutcome(memory, wishes[index]?.key ?? '', outcome))
    .includes(true);
}

/** Starts a run in the background. */
export function addJob(memory: EngineMemory, asked: AskedRun): Job {
  const { executor, deps } = memory;
  const job = startJob({ executor, runner: deps.runner, specs: deps.specs }, asked);
  memory.jobs.add(job);
  void job.ended
    .then(
      (report) => noteReport(memory, asked.key, report),
      (error: unknown) => {
        memory.fatal ??= { error };
      },
    )
    .finally(() => {
      memory.jobs.delete(job);
      memory.bell.ring();
    });
  return job;
}

function noteReport(memory: EngineMemory, key: string, report: RunReport): void {
  switch (report.kind) {
    case 'refused':
      memory.refusedAt.set(key, memory.executor.state.seq);
      return;
    case 'not_started':
      noteSetback(memory, key, report.reason);
      return;
    case 'accepted':
      memory.setbacks.delete(key);
      if (report.conclusion.kind === 'waiting')
        memory.waitingRuns = new Map(memory.waitingRuns).set(report.runId, report.conclusion.reason);
  }
}

/** What `lookAtRuns` may do about the runs it finds. */
interface LookPowers {
  /** Roles whose runs are resumed after an answer. */
  readonly roles: ReadonlySet<Role>;
  /** Whether to cancel runs that are no longer needed. */
  readonly ends: boolean;
}

/** Checks on accepted runs that this process does not drive. The first process that sees a run's end applies it. */
export async function lookAtRuns(memory: EngineMemory, powers: LookPowers): Promise<readonly AskedCommand[]> {
  const { executor, deps } = memory;
  const isOwn = (runId: string) =>
    memory.resuming.has(runId) || [...memory.jobs].some((job) => job.drives(runId));
  const waiting = new Map<string, string>();
  const driven = new Set<string>();
  const asked: AskedCommand[] = [];
  for (const run of executor.state.runs.values()) {
    const subject = isOwn(run.runId) ? null : subjectOf(executor.state, run);
    if (subject === null) continue;
    const state = await lookAtRun(deps.runner, run.runId, subject);
    if (state.kind === 'driven') driven.add(run.runId);
    const answered = state.kind === 'waiting' && state.answered === true && powers.roles.has(run.role);
    if (answered && resumeAnswered(memory, run.runId, subject)) continue;
    if (state.kind === 'waiting' && powers.ends && isMoved(executor.state, run)) {
      await deps.runner.cancel(run.runId);
      asked.push(giveUp(run, 'its item was moved while it waited', false));
      continue;
    }
    if (state.kind === 'waiting') waiting.set(run.runId, state.reason);
    // A lost run died with the process that drove it, so it doesn't count as a failure of the item.
    const wish = commandAtEnd(run, state, state.kind === 'ended');
    if (wish !== null) asked.push(wish);
  }
  // A slot may have become free without a journal entry.
  if ([...waiting.keys()].join() !== [...memory.waitingRuns.keys()].join()) memory.refusedAt.clear();
  memory.waitingRuns = waiting;
  memory.drivenElsewhere = driven;
  return asked;
}

/** Resumes a run in the background after its gate was answered; its end is handled like any other. */
function resumeAnswered(memory: EngineMemory, runId: string, subject: RoleSubject): boolean {
  const { resume } = memory.deps.runner;
  const key = `resume/${runId}`;
  if (resume === undefined || activeSetback(memory, key) !== null) return false;
  const controller = new AbortController();
  const ended = resume(runId, subject, controller.signal)
    .then(
      (state) => {
        // The resume failed: don't retry immediately.
        if (state.kind === 'waiting' && state.answered === true) noteSetback(memory, key, state.reason);
      },
      (error: unknown) => noteSetback(memory, key, error),
    )
    .finally(() => {
      memory.resuming.delete(runId);
      memory.bell.ring();
    });
  memory.resuming.set(runId, { ended, stop: () => controller.abort() });
  return true;
}

/** A record that can't be read needs a user's attention, but must not stop everything else. */
async function lookAtRun(runner: RoleRunner, runId: string, subject: RoleSubject): Promise<RoleState> {
  try {
    return await runner.look(runId, subject);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { kind: 'waiting', reason: `the run ${runId} can't be looked at: ${reason}` };
  }
}

/** Stops the work on items that a user or a planner has moved meanwhile. */
function stopMovedJobs({ jobs, executor }: EngineMemory): void {
  for (const job of jobs) {
    const runId = job.runId();
    if (runId === null || job.itemId === null) continue;
    if (!executor.state.runs.has(runId) || isMoved(executor.state, job)) job.stop();
  }
}

function isMoved({ items }: WorkState, { role, itemId }: Pick<ActiveRun, 'role' | 'itemId'>): boolean {
  if (itemId === null) return false;
  return items.get(itemId)?.item.status !== (role === 'reviewer' ? 'review' : 'in-progress');
}
