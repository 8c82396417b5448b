import { dirname } from 'node:path';
import type { ListedWorkspace } from '../../ports/upkeep.ts';
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
  removeRunWorkspace,
  workspaceFolder,
} from './retention.ts';

export interface PruneOptions extends RetentionOptions {
  /** Prune the workspaces of all runs that have ended, regardless of the retention. */
  readonly all: boolean;
}

/** The workspace of a run; `run` is null if the run has no record. */
export interface StoredWorkspace extends StoredRun {
  readonly workspace: ListedWorkspace;
  readonly decision: RetentionDecision | null;
}

export const NO_RECORD = 'the run has no record here';

/** The workspaces of all runs, newest first. */
export function listWorkspaces(setup: UpkeepSetup): Promise<readonly StoredWorkspace[]> {
  return findWorkspaces(setup, setup.retention);
}

/** Removes the workspaces that the retention doesn't keep. */
export async function pruneWorkspaces(setup: UpkeepSetup, options: PruneOptions): Promise<Cleanup> {
  const retention = options.all ? { keepRuns: 0, keepDays: 0 } : completeRetention(options, setup.retention);
  const handled: Handled[] = [];
  for (const { workspace, decision, ...stored } of await findWorkspaces(setup, retention)) {
    if (decision === null) handled.push(describeKept(stored, NO_RECORD, [suggestRemoval(workspace)]));
    else if (!decision.due) handled.push(describeKept(stored, decision.reason));
    else {
      const taken = options.dryRun ? null : await removeRunWorkspace(setup, stored.runId);
      handled.push(describeRemoval(stored, decision.reason, taken));
    }
  }
  return { of: 'workspaces', retention, dryRun: options.dryRun, handled };
}

/** The document of `worktree list --json`. */
export function workspacesDocument(workspaces: readonly StoredWorkspace[]) {
  return {
    worktrees: workspaces.map(({ workspace, decision, ...stored }) => ({
      ...storedRunDocument(stored),
      branch: workspace.branchName,
      present: workspace.present,
      prunable: decision?.due ?? false,
      reason: decision?.reason ?? NO_RECORD,
    })),
    total_bytes: sumBytes(workspaces),
  };
}

async function findWorkspaces(
  { upkeep, store, clock }: UpkeepSetup,
  retention: Retention,
): Promise<readonly StoredWorkspace[]> {
  const decisions = decideRetention(await store.list(), retention, clock.now());
  // Run ids sort by their creation time.
  const listed = (await upkeep.listWorkspaces()).toSorted((one, other) => (one.runId < other.runId ? 1 : -1));
  const found: StoredWorkspace[] = [];
  for (const workspace of listed) {
    const { runId, path } = workspace;
    const decision = decisions.find(({ run }) => run.runId === runId) ?? null;
    const bytes = await upkeep.sizeOf(workspaceFolder(path, runId));
    found.push({ runId, run: decision?.run ?? null, path, bytes, workspace, decision });
  }
  return found;
}

/** conductor never removes a workspace without a record, because nothing says whether its run has ended. */
function suggestRemoval({ runId, path, linked }: ListedWorkspace): string {
  const command = linked
    ? `git worktree remove ${path}`
    : `rm -r ${dirname(path)} && git update-ref -d refs/conductor/base/${runId}`;
  return `look at it, then remove it by hand: ${command}`;
}
