import { join, resolve } from 'node:path';
import { stateFolderOf } from '../adapters/system/credential-waits.ts';
import { createReportMemory } from '../adapters/system/report-memory.ts';
import { folderSizeUntil } from '../adapters/upkeep/disk-usage.ts';
import { isAncestor } from '../adapters/workspace/git/commits.ts';
import { findDefaultBranch } from '../adapters/workspace/git/default-branch.ts';
import { createGit } from '../adapters/workspace/git/git-command.ts';
import type { Opened } from '../app/opened.ts';
import type { OpenReport } from '../app/report.ts';
import type { OpenWork } from '../app/work/opened-work.ts';
import { pathExists } from '../node/path-exists.ts';
import { listItemQuestions } from '../overview/item-questions.ts';
import type { ReportMemory } from '../ports/report-memory.ts';
import type { Configured } from './open.ts';
import { createRecords } from './records.ts';
import { WORK_DATABASE } from './work-local.ts';

/** How long measuring the disk use may delay a report. Thousands of runs have a hundred thousand files. */
const MEASURE_MS = 100;

/** Opens a repository for a report. Work items are opened only if there are any. */
export async function openReport(
  configured: Configured,
  openWork: () => Promise<Opened<OpenWork>>,
): Promise<OpenReport> {
  const { repoRoot, config, workspacesDir } = configured;
  const git = createGit({ cwd: repoRoot });
  const defaultBranch = findDefaultBranch(git, config.work.branch).catch(() => null);
  return {
    records: await createRecords(repoRoot, config),
    isOnDefaultBranch: async (commit) => {
      const branch = await defaultBranch;
      // A commit that git has removed since is on no branch.
      return branch !== null && (await isAncestor(git, commit, branch.commit).catch(() => false));
    },
    diskUse: async () => {
      const deadline = Date.now() + MEASURE_MS;
      const [runs, workspaces] = await Promise.all([
        folderSizeUntil(resolve(repoRoot, config.paths.runs), deadline),
        folderSizeUntil(workspacesDir, deadline),
      ]);
      return {
        runs_bytes: runs.bytes,
        workspaces_bytes: workspaces.bytes,
        is_complete: runs.isComplete && workspaces.isComplete,
      };
    },
    readQuestions: async () => {
      if (!(await pathExists(join(repoRoot, WORK_DATABASE)))) return { ok: true, value: [] };
      const opened = await openWork();
      if (!opened.ok) return opened;
      try {
        const { state, limits } = await opened.value.engine.snapshot();
        return { ok: true, value: listItemQuestions(state, limits) };
      } finally {
        await opened.value.close();
      }
    },
  };
}

export function openReportMemory(): ReportMemory {
  return createReportMemory(stateFolderOf(process.env));
}
