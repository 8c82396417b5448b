import type { Role } from '../../contracts/work-results.ts';
import type { AskedCommand } from '../../work/command.ts';
import { askHandlers } from '../../work/handlers/all-handlers.ts';
import { FAILURE_LIMIT } from '../../work/state.ts';
import { commandAtEnd } from './conclude.ts';
import { type EngineMemory, recordOutside, type Setback } from './engine-memory.ts';
import { type AskedRun, isRequest, type Job, type RunReport, roleOf, startJob } from './jobs.ts';
import { subjectOf } from './role-request.ts';

export interface Cycle {
  /** Something was done or started: another cycle may find more. */
  readonly moved: boolean;
  /** Wishes that failed and are tried again later, and revisions whose checks are not over. */
  readonly held: number;
}

/** What a cycle may set going in the background. */
export interface CyclePowers {
  readonly roles: ReadonlySet<Role>;
  /** Whether the checks of revisions are run. */
  readonly settles: boolean;
}

/** One round: what there is outside, what became of runs, what the handlers want, all of it carried out. */
export async function runCycle(memory: EngineMemory, powers: CyclePowers): Promise<Cycle> {
  if (memory.fatal !== null) throw memory.fatal.error;
  await recordOutside(memory);
  const ends = await lookAtRuns(memory);
  const { executor } = memory;
  const events = [...memory.unseen, { type: 'looked' } as const];
  memory.unseen = [];
  const wishes = [...ends, ...askHandlers(events, executor.state, memory.limits())];
  let moved = false;
  let held = 0;
  for (const asked of wishes) {
    const { command } = asked;
    if (isRequest(command) && !powers.roles.has(roleOf(command))) continue;
    if (memory.refusedAt.get(asked.key) === executor.state.seq) continue;
    const setback = activeSetback(memory, asked.key);
    if (setback === null) moved = (await carryOut(memory, asked)) || moved;
    else held += setback.count < FAILURE_LIMIT ? 1 : 0;
  }
  stopMovedJobs(memory);
  if (powers.settles) held += startSettling(memory);
  return { moved, held };
}

function activeSetback({ setbacks, deps }: EngineMemory, key: string): Setback | null {
  const setback = setbacks.get(key);
  return setback !== undefined && setback.notBeforeMs > deps.clock.now().getTime() ? setback : null;
}

async function carryOut(memory: EngineMemory, asked: AskedCommand): Promise<boolean> {
  const { key, by, command } = asked;
  if (isRequest(command)) {
    addJob(memory, { key, by, command });
    return true;
  }
  const outcome = await memory.executor.execute(asked);
  if (outcome.kind === 'failed') noteSetback(memory, key, outcome.reason);
  else memory.setbacks.delete(key);
  return outcome.kind === 'done';
}

const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 60_000;

/** A provider that is down is not asked again at once, and less and less often. */
function noteSetback(memory: EngineMemory, key: string, reason: string): void {
  const count = (memory.setbacks.get(key)?.count ?? 0) + 1;
  const pause = Math.min(FIRST_PAUSE_MS * 2 ** (count - 1), LONGEST_PAUSE_MS);
  const notBeforeMs = memory.deps.clock.now().getTime() + pause;
  memory.setbacks.set(key, { count, reason, notBeforeMs });
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
        memory.waitingRuns.set(report.runId, report.conclusion.reason);
  }
}

/** Accepted runs that this process does not drive: their ends are applied by whoever sees them first. */
async function lookAtRuns(memory: EngineMemory): Promise<readonly AskedCommand[]> {
  const { executor, deps } = memory;
  const own = new Set([...memory.jobs].map((job) => job.runId()));
  memory.waitingRuns.clear();
  memory.drivenElsewhere.clear();
  const asked: AskedCommand[] = [];
  for (const run of executor.state.runs.values()) {
    const subject = own.has(run.runId) ? null : subjectOf(executor.state, run);
    if (subject === null) continue;
    const state = await deps.runner.look(run.runId, subject);
    if (state.kind === 'driven') memory.drivenElsewhere.add(run.runId);
    if (state.kind === 'waiting') memory.waitingRuns.set(run.runId, state.reason);
    // What is lost went down with the process that drove it, which is no failure of the item.
    const wish = commandAtEnd(run, state, state.kind === 'ended');
    if (wish !== null) asked.push(wish);
  }
  return asked;
}

/** Nobody wants the work on an item any more that a person or a planner has moved meanwhile. */
function stopMovedJobs({ jobs, executor }: EngineMemory): void {
  for (const job of jobs) {
    const runId = job.runId();
    if (runId === null || job.itemId === null) continue;
    const status = executor.state.items.get(job.itemId)?.item.status;
    const expected = job.role === 'reviewer' ? 'review' : 'in-progress';
    if (!executor.state.runs.has(runId) || status !== expected) job.stop();
  }
}

const SETTLING = 'settle';

/** Returns how many revisions still wait for their checks. */
function startSettling(memory: EngineMemory): number {
  const { items, revisions } = memory.executor.state;
  const waiting = [...revisions.values()].filter(
    ({ pipeline, workItemID }) =>
      pipeline.status === 'pending' && items.get(workItemID)?.item.status === 'review',
  ).length;
  const setback = activeSetback(memory, SETTLING);
  if (setback !== null && setback.count >= FAILURE_LIMIT) return 0;
  if (waiting === 0 || setback !== null || memory.settling !== null) return waiting;
  const controller = new AbortController();
  const promise = memory.deps.provider
    .settle(controller.signal)
    .then(
      () => {
        memory.setbacks.delete(SETTLING);
      },
      (error: unknown) =>
        noteSetback(memory, SETTLING, error instanceof Error ? error.message : String(error)),
    )
    .finally(() => {
      memory.settling = null;
      memory.bell.ring();
    });
  memory.settling = { promise, controller };
  return waiting;
}
