import { basename, dirname } from 'node:path/posix';
import { DAY_MS } from '../../contracts/duration.ts';
import { isExpectedFailure } from '../../contracts/expected-failure.ts';
import { describeDriver, LeaseLost, nameDriver } from '../../contracts/run/run-lease.ts';
import type { DrivenRun, RunLease, RunListing, RunStore } from '../../ports/run-store.ts';
import type { Removal, Upkeep } from '../../ports/upkeep.ts';
import type { RunWorkspace, Workspace } from '../../ports/workspace/workspace.ts';
import { locateWorkspace } from '../../runtime/record/recorded-run.ts';
import { viewRun } from '../../runtime/record/run-view.ts';
import { isUnfinished } from './listed-state.ts';

/** Each limit says what to keep: a run is removed only if neither keeps it. 0 keeps nothing. */
export interface Retention {
  /** How many ended runs to keep, counted from the newest. */
  readonly keepRuns: number;
  /** How many days to keep a run after its end. */
  readonly keepDays: number;
}

/** Limits as a user gives them; null for one that is not given. */
export interface GivenRetention {
  readonly keepRuns: number | null;
  readonly keepDays: number | null;
}

/** A limit that is given alone decides alone. Without any, `fallback` applies. */
export function completeRetention({ keepRuns, keepDays }: GivenRetention, fallback: Retention): Retention {
  if (keepRuns === null && keepDays === null) return fallback;
  return { keepRuns: keepRuns ?? 0, keepDays: keepDays ?? 0 };
}

export interface RetentionDecision {
  readonly run: RunListing;
  readonly due: boolean;
  /** Why it is due, or why it is kept. */
  readonly reason: string;
}

/** All files of a run besides its record. Earlier versions used a linked worktree named after the run. */
export function workspaceFolder(checkoutPath: string, runId: string): string {
  return basename(checkoutPath) === runId ? checkoutPath : dirname(checkoutPath);
}

/**
 * Decides which runs to remove. Only ended runs are ever removed, and never `justEnded`. Expects and returns the newest
 * first.
 */
export function decideRetention(
  runs: readonly RunListing[],
  retention: Retention,
  now: Date,
  justEnded: string | null = null,
): RetentionDecision[] {
  let rank = 0;
  return runs.map((run) => {
    const unfinished = explainUnfinished(run);
    if (unfinished !== null) return { run, due: false, reason: unfinished };
    rank += 1;
    const age = now.getTime() - Date.parse(run.status?.updated_at ?? '');
    if (run.runId === justEnded) return { run, due: false, reason: 'it has just ended' };
    if (rank <= retention.keepRuns || age < retention.keepDays * DAY_MS)
      return { run, due: false, reason: 'retention keeps it' };
    return { run, due: true, reason: explainDue(retention) };
  });
}

function explainDue({ keepRuns, keepDays }: Retention): string {
  const days = keepDays === 0 ? 'it has ended' : `it ended ${keepDays} days ago or more`;
  if (keepRuns === 0) return days;
  return `${days}, and ${keepRuns === 1 ? 'a newer run is kept' : `${keepRuns} newer runs are kept`}`;
}

/** Null for a run that has ended and that no process drives. */
export function explainUnfinished(run: RunListing): string | null {
  const { status, driver } = run;
  if (driver !== null) return `it is driven by ${nameDriver(driver)}`;
  if (!isUnfinished(run)) return null;
  if (status === null) return "its status can't be read";
  if (status.lifecycle_state !== 'waiting') return 'it has not ended';
  return status.awaiting === null ? 'it is parked' : 'it is waiting for approval';
}

export type RemovalResult =
  | { readonly ok: true; readonly salvageRefs: readonly string[]; readonly notes: readonly string[] }
  | { readonly ok: false; readonly reason: string };

export interface RetentionDeps {
  readonly repoRoot: string;
  readonly store: RunStore;
  readonly upkeep: Upkeep;
  readonly workspace: Pick<Workspace, 'describe'>;
}

/** Removes the workspace of an ended run, and nothing else. */
export function removeRunWorkspace(deps: RetentionDeps, runId: string): Promise<RemovalResult> {
  return removeUnderLock(deps, runId, (workspace, lease) =>
    removeInOrder(lease, [() => deps.upkeep.removeWorkspace(workspace)]),
  );
}

/**
 * Removes an ended run: its workspace, its refs, and its record last, so that an interrupted removal can be repeated. A
 * run whose record can't be removed is kept entirely.
 */
export function removeRun(deps: RetentionDeps, runId: string): Promise<RemovalResult> {
  const { upkeep } = deps;
  const removeRecord = () => upkeep.removeRecord(runId, { dryRun: false });
  return removeUnderLock(
    deps,
    runId,
    (workspace, lease) =>
      removeInOrder(lease, [
        () => upkeep.removeRecord(runId, { dryRun: true }),
        () => upkeep.removeWorkspace(workspace),
        () => upkeep.removeRefs(workspace),
        removeRecord,
      ]),
    // A removal that was killed near its end has left a record without a log.
    async () => {
      const removal = await removeRecord();
      return removal.ok && removal.removed ? { ok: true, salvageRefs: [], notes: [] } : null;
    },
  );
}

/** Holds the run's lock while it removes, so that no other process resumes the run. The log decides whether it ended. */
async function removeUnderLock(
  deps: RetentionDeps,
  runId: string,
  removeEnded: (workspace: RunWorkspace, lease: RunLease) => Promise<RemovalResult>,
  removeWithoutLog: () => Promise<RemovalResult | null> = async () => null,
): Promise<RemovalResult> {
  const driven = await deps.store.drive(runId);
  if (!driven.ok) {
    const finished = driven.problem.kind === 'missing' ? await removeWithoutLog() : null;
    return finished ?? { ok: false, reason: problemText(driven.problem) };
  }
  const { run } = driven;
  try {
    const workspace = endedWorkspace(run, deps);
    return workspace === null
      ? { ok: false, reason: 'it has not ended' }
      : await removeEnded(workspace, run.lease);
  } catch (error) {
    if (!isExpectedFailure(error) && !(error instanceof LeaseLost)) throw error;
    return { ok: false, reason: error.message };
  } finally {
    await run.release();
  }
}

function endedWorkspace(run: DrivenRun, deps: RetentionDeps): RunWorkspace | null {
  const view = viewRun(run.events);
  return view === null || view.end === null ? null : locateWorkspace(view, run.directory, deps);
}

function problemText(
  problem: Extract<Awaited<ReturnType<RunStore['drive']>>, { ok: false }>['problem'],
): string {
  switch (problem.kind) {
    case 'driven':
      return `it is driven by ${describeDriver(problem.driver)}`;
    case 'missing':
      return 'it has no events';
    case 'corrupt':
      return `its events.ndjson is damaged in line ${problem.line}: ${problem.message}`;
  }
}

/** Stops at the first refused removal. */
async function removeInOrder(
  lease: RunLease,
  removals: readonly (() => Promise<Removal>)[],
): Promise<RemovalResult> {
  const salvageRefs: string[] = [];
  const notes: string[] = [];
  for (const remove of removals) {
    lease.expectHeld();
    const removal = await remove();
    if (!removal.ok) return removal;
    if (removal.salvageRef !== null) salvageRefs.push(removal.salvageRef);
    notes.push(...removal.notes);
  }
  return { ok: true, salvageRefs, notes };
}
