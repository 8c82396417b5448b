import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { readPolicies } from './adapters/project/policy-files.ts';
import { nearestProject } from './adapters/project/project-files.ts';
import { leaveRunCheckout } from './adapters/project/run-checkout.ts';
import { type Opened, type OpenProject, refuse, refuseConfig } from './app/opened.ts';
import type { DemoRepository, OpenScope, Services } from './app/services.ts';
import { packageRoot } from './package-root.ts';
import {
  type Configured,
  catalogFolders,
  findProject,
  loadConfigOf,
  locateTrust,
  openCheck,
  openConfigured,
  repositoryObstacle,
} from './wiring/open.ts';

/** Hands adapters to the use cases that surfaces ask for. Each service loads its modules on first use. */
export function createServices(version: string): Services {
  const assemble = async (configured: Configured): Promise<Opened<OpenProject>> => {
    const { assembleProject } = await import('./wiring/project.ts');
    const folders = catalogFolders(configured.repoRoot);
    return assembleProject({ ...configured, folders, env: process.env, version });
  };
  const openProject = (startDir: string) => whenConfigured(startDir, assemble);
  const openWork: Services['openWork'] = (startDir, options) =>
    whenConfigured(startDir, async (configured) => {
      const project = await assemble(configured);
      if (!project.ok) return project;
      const { assembleWork } = await import('./wiring/work.ts');
      return { ok: true, value: assembleWork({ ...configured, project: project.value, options }) };
    });
  return {
    packageRoot: packageRoot(),
    openCheck,
    openRecords: (startDir) =>
      whenConfigured(startDir, async ({ repoRoot, config }) => {
        const { createRecords } = await import('./wiring/records.ts');
        return { ok: true, value: createRecords(repoRoot, config) };
      }),
    openUpkeep: (startDir) =>
      whenConfigured(startDir, async (configured) => {
        const { createUpkeepSetup } = await import('./wiring/upkeep.ts');
        return { ok: true, value: createUpkeepSetup(configured) };
      }),
    openProject,
    openWork,
    openReport: (startDir) =>
      whenConfigured(startDir, async (configured) => {
        const { openReport } = await import('./wiring/report.ts');
        return { ok: true, value: openReport(configured, () => openWork(startDir, { jobs: null })) };
      }),
    pageTools: async () => (await import('./wiring/page.ts')).createPageTools(),
    reportMemory: async () => (await import('./wiring/report.ts')).openReportMemory(),
    tryAgent: (startDir, request) =>
      whenConfigured(startDir, async (configured) => {
        const project = await assemble(configured);
        if (!project.ok) return project;
        const { tryAgent } = await import('./app/try-agent.ts');
        const { createTrialDeps } = await import('./wiring/agents.ts');
        return tryAgent(createTrialDeps(configured, project.value.deps, process.env), request);
      }),
    openPolicy: async (startDir, wanted) => {
      const { openPolicy } = await import('./app/policy/open-policy.ts');
      const { systemFiles } = await import('./adapters/project/files.ts');
      const projectRoot = await findProject(startDir);
      return openPolicy(
        {
          workspace: await nearestProject(resolve(startDir)),
          realPath: systemFiles.realPath,
          readFile: (path) => readFile(path).catch(() => null),
          loadConfig: (env) => loadConfigOf(projectRoot, env),
          readPolicies: () => readPolicies(catalogFolders(projectRoot).policies),
          env: process.env,
        },
        wanted,
      );
    },
    openPlanner: async (startDir, name) => {
      const repoRoot = await findProject(startDir);
      const loaded = await loadConfigOf(repoRoot);
      if (!loaded.ok) return refuseConfig(loaded.file);
      const { openPlanner } = await import('./wiring/planners.ts');
      const promptFolders = catalogFolders(repoRoot).prompts;
      return openPlanner({ repoRoot, config: loaded.config, promptFolders, env: process.env, name });
    },
    openScope,
    makeDemoRepository,
    detectValidators: async (repoRoot) => {
      const { detectValidators } = await import('./adapters/project/detect-validators.ts');
      return detectValidators(repoRoot);
    },
    detectSetup: async (repoRoot) => {
      const { readTopFiles } = await import('./adapters/setup/top-files.ts');
      const { detectSetup } = await import('./setup/detect-setup.ts');
      return detectSetup(await readTopFiles(repoRoot));
    },
    openTelemetry: async (telemetry) => {
      const { createTelemetryExporter } = await import('./wiring/notify.ts');
      return createTelemetryExporter(telemetry, process.env);
    },
    openTrust: async (startDir, wanted) => {
      const { openTrust } = await import('./app/trust.ts');
      const { createTrustDeps } = await import('./wiring/trust.ts');
      return openTrust(createTrustDeps(await locateTrust(startDir)), wanted);
    },
    listTrusted: async () => {
      const { listTrusted } = await import('./app/trust.ts');
      const { createTrustStore } = await import('./wiring/trust.ts');
      return listTrusted(createTrustStore());
    },
    revokeTrust: async (startDir) => {
      const { createTrustStore } = await import('./wiring/trust.ts');
      const { systemFiles } = await import('./adapters/project/files.ts');
      const { gitDir } = await locateTrust(startDir);
      return createTrustStore().remove(await systemFiles.realPath(gitDir));
    },
    diagnose: async (startDir) => {
      const { diagnoseProject } = await import('./app/doctor/doctor.ts');
      const { createDoctorDeps } = await import('./wiring/doctor.ts');
      return diagnoseProject(createDoctorDeps(await leaveRunCheckout(startDir)));
    },
  };
}

/** The one place where a repository is opened: finds it, reads its configuration, and passes both on. */
async function whenConfigured<T>(
  startDir: string,
  open: (configured: Configured) => Promise<Opened<T>>,
): Promise<Opened<T>> {
  const opened = await openConfigured(startDir);
  return opened.ok ? open(opened.value) : opened;
}

/** A patch can be checked outside a repository, but a `base` must exist if one is given. */
async function openScope(startDir: string, base: string | null): Promise<Opened<OpenScope>> {
  const { createPrograms } = await import('./adapters/programs/compare-programs.ts');
  const { findRepository } = await import('./adapters/workspace/git/find-repository.ts');
  const { createScopeSources } = await import('./adapters/workspace/items/scope-sources.ts');
  const folder = resolve(startDir);
  const found = await findRepository(folder);
  const sources = found.ok ? await createScopeSources(found.repoRoot, base ?? 'HEAD') : null;
  if (sources !== null || base === null) return { ok: true, value: { sources, programs: createPrograms() } };
  return found.ok
    ? refuse(`"${base}" names no commit`, 'name a branch, a tag or a commit')
    : refuse(`${folder} is not inside a git repository`, 'name one with --repo DIR, or omit --base');
}

async function makeDemoRepository(): Promise<Opened<DemoRepository>> {
  const { makeDemoRepository: makeRepository } = await import('./adapters/workspace/temporary-repository.ts');
  const { readGitVersion } = await import('./adapters/workspace/git/probe.ts');
  if ((await readGitVersion()) === null)
    return { ok: false, document: null, obstacle: repositoryObstacle('git_missing', '.') };
  const root = await makeRepository(join(packageRoot(), 'examples', 'demo', 'repository'));
  return { ok: true, value: { root, workflowPath: join(root, '.tnh', 'workflow.yaml') } };
}
