import { dirname } from 'node:path';
import type { ListedWorktree } from '../../ports/upkeep.ts';
import type { UpkeepSetup } from '../opened.ts';
import {
  type Cleanup,
  describeKept,
  describeRemoval,
  type Handled,
  type RetentionOptions,
  type StoredRun,
  storedRunDocument,
  sumBytes,
} from './clean-runs.ts';
import {
  completeRetention,
  decideRetention,
  type Retention,
  type RetentionDecision,
  removeRunWorktree,
  workspaceFolder,
} from './retention.ts';

export interface PruneOptions extends RetentionOptions {
  /** Prune the worktrees of all runs that have ended, regardless of the retention. */
  readonly all: boolean;
}

/** The worktree of a run; `run` is null if the run has no record. */
export interface StoredWorktree extends StoredRun {
  readonly worktree: ListedWorktree;
  readonly verdict: RetentionDecision | null;
}

export const NO_RECORD = 'the run has no record here';

/** The worktrees of all runs, newest first. */
export function listWorktrees(setup: UpkeepSetup): Promise<readonly StoredWorktree[]> {
  return findWorktrees(setup, setup.retention);
}

/** Removes the worktrees that the retention doesn't keep. */
export async function pruneWorktrees(setup: UpkeepSetup, options: PruneOptions): Promise<Cleanup> {
  const retention = options.all ? { keepRuns: 0, keepDays: 0 } : completeRetention(options, setup.retention);
  const handled: Handled[] = [];
  for (const { worktree, verdict, ...stored } of await findWorktrees(setup, retention)) {
    if (verdict === null) handled.push(describeKept(stored, NO_RECORD, [suggestRemoval(worktree)]));
    else if (!verdict.due) handled.push(describeKept(stored, verdict.reason));
    else {
      const taken = options.dryRun ? null : await removeRunWorktree(setup, stored.runId);
      handled.push(describeRemoval(stored, verdict.reason, taken));
    }
  }
  return { key: 'worktrees', retention, dryRun: options.dryRun, handled };
}

/** The document of `worktree list --json`. */
export function worktreesDocument(worktrees: readonly StoredWorktree[]) {
  return {
    worktrees: worktrees.map(({ worktree, verdict, ...stored }) => ({
      ...storedRunDocument(stored),
      branch: worktree.branchName,
      present: worktree.present,
      prunable: verdict?.due ?? false,
      reason: verdict?.reason ?? NO_RECORD,
    })),
    total_bytes: sumBytes(worktrees),
  };
}

async function findWorktrees(
  { upkeep, store, clock }: UpkeepSetup,
  retention: Retention,
): Promise<readonly StoredWorktree[]> {
  const verdicts = decideRetention(await store.list(), retention, clock.now());
  // Run ids sort by their creation time.
  const listed = (await upkeep.listWorktrees()).toSorted((one, other) => (one.runId < other.runId ? 1 : -1));
  const found: StoredWorktree[] = [];
  for (const worktree of listed) {
    const { runId, path } = worktree;
    const verdict = verdicts.find(({ run }) => run.runId === runId) ?? null;
    const bytes = await upkeep.sizeOf(workspaceFolder(path, runId));
    found.push({ runId, run: verdict?.run ?? null, path, bytes, worktree, verdict });
  }
  return found;
}

/** conductor never removes a worktree without a record, because nothing says whether its run has ended. */
function suggestRemoval({ runId, path, linked }: ListedWorktree): string {
  const command = linked
    ? `git worktree remove ${path}`
    : `rm -r ${dirname(path)} && git update-ref -d refs/conductor/base/${runId}`;
  return `look at it, then remove it by hand: ${command}`;
}
