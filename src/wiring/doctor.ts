import { join } from 'node:path';
import { findBrowser } from '../../harness/web/browser.ts';
import { createProgramFinder } from '../adapters/agents/agent-program.ts';
import { computePrivateBytes, computeProcessBounds } from '../adapters/process/process-bounds.ts';
import { resolveProgram } from '../adapters/process/program.ts';
import { createSupervisor, DEFAULT_PROCESS_LIMITS } from '../adapters/process/supervisor.ts';
import { detectValidators } from '../adapters/project/detect-validators.ts';
import { systemFiles } from '../adapters/project/files.ts';
import { readPolicies } from '../adapters/project/policy-files.ts';
import { createPromptCatalog } from '../adapters/prompts/prompt-catalog.ts';
import { createCheckoutSetup } from '../adapters/setup/checkout-setup.ts';
import { readTopFiles } from '../adapters/setup/top-files.ts';
import { systemClock } from '../adapters/system/clock.ts';
import { createWorkDatabase } from '../adapters/work-local/database.ts';
import { createLocalJournal } from '../adapters/work-local/journal.ts';
import { findRepository } from '../adapters/workspace/git/find-repository.ts';
import { hasCommits, isCommitted, readGitVersion } from '../adapters/workspace/git/probe.ts';
import { measureDiskUse } from '../app/disk-use.ts';
import type { DoctorDeps } from '../app/doctor/doctor.ts';
import { collectNotifications } from '../app/doctor/notifications.ts';
import type { StoredSetupRequest } from '../app/doctor/setup.ts';
import type { JournalEntry } from '../contracts/work/work-event.ts';
import { toMilliseconds } from '../workflow/config/limit-defaults.ts';
import { createProjectForge } from './forge.ts';
import { catalogFolders, loadConfigOf, repositoryObstacle, resolveWorkspaces } from './open.ts';
import { buildPlanner, createPlannerSetup } from './planners.ts';
import { createRecords } from './records.ts';
import { findSandbox } from './sandbox.ts';
import { createTrustDeps } from './trust.ts';
import { createDiskUseDeps } from './upkeep.ts';
import { WORK_DATABASE } from './work-local.ts';

export function createDoctorDeps(startDir: string): DoctorDeps {
  const { env } = process;
  return {
    startDir,
    env,
    nodeVersion: process.version,
    readGitVersion,
    findRepository: async () => {
      const found = await findRepository(startDir);
      return found.ok ? found : { ok: false, obstacle: repositoryObstacle(found.reason, startDir) };
    },
    hasCommits,
    isCommitted,
    folderState: systemFiles.folderState,
    exists: systemFiles.exists,
    loadConfig: loadConfigOf,
    readPolicies: (root) => readPolicies(catalogFolders(root).policies),
    trustDeps: createTrustDeps,
    findProgram: createProgramFinder({ resolveProgram, env }),
    resolveProgram,
    detectValidators,
    readTopFiles,
    resolveWorkspaces,
    measureDiskUse: (places) => measureDiskUse(createDiskUseDeps(), places),
    isSetupStored,
    choosePlanner: (repoRoot, config) =>
      buildPlanner(
        createPlannerSetup({ repoRoot, config, env, prompts: createPromptCatalog(new Map()) }),
        null,
      ),
    findSandbox: async (config) => {
      const found = await findSandbox(config, env, env.PATH);
      return found.kind === 'works' ? { kind: 'works', name: found.sandbox.name } : found;
    },
    privateBytes: computePrivateBytes,
    stepLimits: (limits) => (process.platform === 'linux' ? computeProcessBounds(limits) : null),
    findBrowser: () => findBrowser(env),
    connectForge: (repoRoot, config) =>
      createProjectForge({ repoRoot, config, env, clock: systemClock }).open({
        isForPerson: true,
        signal: new AbortController().signal,
      }),
    readNotifications: async (repoRoot, config) =>
      collectNotifications(await createRecords(repoRoot, config), await readWorkJournal(repoRoot)),
  };
}

/** All entries; empty if the repository has no work items, or if they can't be read. */
async function readWorkJournal(repoRoot: string): Promise<readonly JournalEntry[]> {
  const path = join(repoRoot, WORK_DATABASE);
  if (!(await systemFiles.exists(path))) return [];
  const journal = createLocalJournal({ database: createWorkDatabase(path), clock: systemClock });
  try {
    return await journal.read(0).catch(() => []);
  } finally {
    await journal.close();
  }
}

async function isSetupStored({
  setup,
  repoRoot,
  workspacesFolder,
  env,
}: StoredSetupRequest): Promise<boolean> {
  const cacheFolder = join(workspacesFolder, 'setup');
  const checkouts = createCheckoutSetup({
    setup,
    repoRoot,
    cacheFolder,
    timeoutMs: toMilliseconds(setup.timeout),
    portsFolder: join(workspacesFolder, 'ports'),
    supervisor: createSupervisor(),
    resolveProgram,
    ...DEFAULT_PROCESS_LIMITS,
  });
  const digest = await checkouts.digest({ checkout: repoRoot, env });
  return digest !== null && (await systemFiles.exists(join(cacheFolder, digest)));
}
