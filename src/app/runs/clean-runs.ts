import type { RunListing } from '../../ports/run-store.ts';
import type { UpkeepSetup } from '../opened.ts';
import { deriveListedState } from './listed-state.ts';
import {
  completeRetention,
  decideRetention,
  type GivenRetention,
  type RemovalResult,
  type Retention,
  removeRun,
  workspaceFolder,
} from './retention.ts';

/** Limits that are given override the configuration. */
export interface RetentionOptions extends GivenRetention {
  readonly dryRun: boolean;
}

/** A run or its workspace on disk. */
export interface StoredRun {
  readonly runId: string;
  /** Null if the run has no record. */
  readonly run: RunListing | null;
  readonly path: string;
  readonly bytes: number;
}

/** A run or workspace, and what the retention did with it. */
export interface Handled extends StoredRun {
  readonly action: 'removed' | 'would_remove' | 'kept' | 'failed';
  readonly reason: string;
  readonly salvageRefs: readonly string[];
  readonly notes: readonly string[];
}

export interface Cleanup {
  readonly of: 'runs' | 'workspaces';
  readonly retention: Retention;
  readonly dryRun: boolean;
  readonly handled: readonly Handled[];
}

/** Removes runs that the retention doesn't keep: workspace, branch and record. Salvages stay. */
export async function cleanRuns(setup: UpkeepSetup, options: RetentionOptions): Promise<Cleanup> {
  const retention = completeRetention(options, setup.retention);
  const handled: Handled[] = [];
  for (const { run, due, reason } of decideRetention(
    await setup.store.list(),
    retention,
    setup.clock.now(),
  )) {
    const stored = await measureRun(setup, run);
    handled.push(
      due
        ? describeRemoval(stored, reason, options.dryRun ? null : await removeRun(setup, run.runId))
        : describeKept(stored, reason),
    );
  }
  return { of: 'runs', retention, dryRun: options.dryRun, handled };
}

/** How long the retention after a run may start new removals. The next run continues. */
const AFTER_RUN_MS = 5_000;

/**
 * Applies the configured retention after a run has ended. Without one in the configuration, nothing is removed. `handled`
 * contains only the runs that were due. Stops early if `signal` aborts.
 */
export async function retainAfterRun(
  setup: UpkeepSetup,
  justEnded: string,
  signal: AbortSignal,
): Promise<readonly Handled[]> {
  const { clock, retention, store } = setup;
  if (!setup.isRetentionConfigured) return [];
  const startedAt = clock.now();
  const handled: Handled[] = [];
  for (const { run, due, reason } of decideRetention(await store.list(), retention, startedAt, justEnded)) {
    if (signal.aborted || clock.now().getTime() - startedAt.getTime() > AFTER_RUN_MS) break;
    if (!due) continue;
    const stored = await measureRun(setup, run);
    handled.push(describeRemoval(stored, reason, await removeRun(setup, run.runId)));
  }
  return handled;
}

async function measureRun({ upkeep }: UpkeepSetup, run: RunListing): Promise<StoredRun> {
  const worktree = run.status?.worktree_path ?? null;
  const folder = worktree === null ? null : workspaceFolder(worktree, run.runId);
  const bytes = (await upkeep.sizeOf(`${run.path}/`)) + (folder === null ? 0 : await upkeep.sizeOf(folder));
  return { runId: run.runId, run, path: run.path, bytes };
}

export function describeKept(stored: StoredRun, reason: string, notes: readonly string[] = []): Handled {
  return { ...stored, action: 'kept', reason, salvageRefs: [], notes };
}

/** `taken` is null in a dry run. */
export function describeRemoval(stored: StoredRun, reason: string, taken: RemovalResult | null): Handled {
  if (taken === null) return { ...stored, action: 'would_remove', reason, salvageRefs: [], notes: [] };
  if (!taken.ok) return { ...stored, action: 'failed', reason: taken.reason, salvageRefs: [], notes: [] };
  return { ...stored, action: 'removed', reason, salvageRefs: taken.salvageRefs, notes: taken.notes };
}

/** Whether something that was due could not be removed. */
export function hasFailed({ handled }: Cleanup): boolean {
  return handled.some(({ action }) => action === 'failed');
}

export function listDue({ handled }: Cleanup): readonly Handled[] {
  return handled.filter(({ action }) => action === 'removed' || action === 'would_remove');
}

export function sumBytes(stored: readonly StoredRun[]): number {
  return stored.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** The document of `clean --json` and `worktree prune --json`. */
export function cleanupDocument(cleanup: Cleanup) {
  const { of, retention, dryRun, handled } = cleanup;
  return {
    ok: !hasFailed(cleanup),
    dry_run: dryRun,
    retention: { keep_runs: retention.keepRuns, keep_days: retention.keepDays },
    [of === 'runs' ? 'runs' : 'worktrees']: handled.map((item) => ({
      ...storedRunDocument(item),
      action: item.action,
      reason: item.reason,
      salvage_refs: item.salvageRefs,
      notes: item.notes,
    })),
    freed_bytes: sumBytes(listDue(cleanup)),
  };
}

export function storedRunDocument({ runId, run, path, bytes }: StoredRun) {
  return {
    run_id: runId,
    workflow_id: run?.status?.workflow_id ?? null,
    state: run === null ? null : deriveListedState(run),
    outcome: run?.status?.outcome ?? null,
    updated_at: run?.status?.updated_at ?? null,
    path,
    bytes,
  };
}
