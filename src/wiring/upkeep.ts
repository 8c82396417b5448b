import { readdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { awaitOrphans } from '../adapters/process/orphan-wait.ts';
import { folderSize, folderSizeUntil, readFreeBytes } from '../adapters/upkeep/disk-usage.ts';
import { removeRecord } from '../adapters/upkeep/record-removal.ts';
import { createGitWorkspace } from '../adapters/workspace/git-workspace.ts';
import { createGitUpkeep } from '../adapters/workspace/result/git-upkeep.ts';
import type { DiskUseDeps } from '../app/disk-use.ts';
import type { UpkeepSetup } from '../app/opened.ts';
import { LEGACY_WORKTREES_DIR } from '../contracts/config/config-defaults.ts';
import { canBeWorkspace } from '../runtime/record/recorded-run.ts';
import { openHub } from './engine.ts';
import type { Configured } from './open.ts';
import { createRecords } from './records.ts';

export async function createUpkeepSetup(configured: Configured): Promise<UpkeepSetup> {
  const { repoRoot, config } = configured;
  const runsDir = resolve(repoRoot, config.paths.runs);
  const linkedWorktreesDir = resolve(repoRoot, LEGACY_WORKTREES_DIR);
  const records = await createRecords(repoRoot, config);
  const recordedPaths = async () =>
    (await records.store.list()).flatMap(({ runId, status }) => {
      const path = status?.worktree_path ?? '';
      return canBeWorkspace(path, runId, repoRoot) ? [path] : [];
    });
  return {
    ...records,
    hub: await openHub(configured),
    workspace: createGitWorkspace({ ...configured, ownedPaths: [] }),
    retention: { keepRuns: config.retention.keep_runs, keepDays: config.retention.keep_days },
    isRetentionConfigured: config.retention.is_configured,
    upkeep: {
      ...createGitUpkeep({ ...configured, linkedWorktreesDir, recordedPaths, awaitOrphans }),
      sizeOf: folderSize,
      removeRecord: (runId, options) => removeRecord({ repoRoot, runsDir }, runId, options),
    },
  };
}

export function createDiskUseDeps(): DiskUseDeps {
  return {
    measure: folderSizeUntil,
    listFolder: (path) => readdir(path).catch(() => []),
    readFreeBytes,
    now: Date.now,
  };
}
