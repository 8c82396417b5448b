import { resolve } from 'node:path';
import { createGitUpkeep } from '../adapters/git/git-upkeep.ts';
import { createGitWorkspace } from '../adapters/git/git-workspace.ts';
import { awaitOrphans } from '../adapters/process/orphan-wait.ts';
import { folderSize } from '../adapters/upkeep/folder-size.ts';
import { removeRecord } from '../adapters/upkeep/record-removal.ts';
import type { Config } from '../contracts/config.ts';
import type { UpkeepSetup } from '../runtime/services.ts';
import { createRecords } from './records.ts';

export function createUpkeepSetup(repoRoot: string, config: Config): UpkeepSetup {
  const runsDir = resolve(repoRoot, config.paths.runs);
  const worktreesDir = resolve(repoRoot, config.paths.worktrees);
  return {
    ...createRecords(repoRoot, config),
    workspace: createGitWorkspace({ repoRoot, worktreesDir }),
    retention: { keepRuns: config.retention.keep_runs, keepDays: config.retention.keep_days },
    upkeep: {
      ...createGitUpkeep({ repoRoot, worktreesDir, awaitOrphans }),
      sizeOf: folderSize,
      removeRecord: (runId, options) => removeRecord({ repoRoot, runsDir }, runId, options),
    },
  };
}
