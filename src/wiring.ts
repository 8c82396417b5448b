import { resolve } from 'node:path';
import {
  type BrokenFile,
  type LoadedConfig,
  loadConfig,
  nearestProject,
  userFolderOf,
} from './adapters/project/project-files.ts';
import type { FoundRepository } from './adapters/workspace/git/find-repository.ts';
import type { Opened, OpenProject, Records, Services } from './app/services.ts';
import { packageRoot } from './package-root.ts';
import type { Configured } from './wiring/configured.ts';
import { knownNames, limitDefaults, loadTemplateReader } from './wiring/known-names.ts';
import { repositoryObstacle } from './wiring/repository-obstacle.ts';
import { outsideWorkspaces } from './wiring/workspaces.ts';

/** Implements the services that surfaces use with adapters. Each service loads its adapters on first use. */
export function createServices(version: string): Services {
  const root = packageRoot();
  const userFolder = userFolderOf(process.env);
  const assemble = async (configured: Configured): Promise<Opened<OpenProject>> => {
    const { assembleProject } = await import('./wiring/project.ts');
    const found = folders(configured.repoRoot, userFolder, root);
    const opened = await assembleProject({ ...configured, folders: found, env: process.env, version });
    return opened.ok ? { ok: true, value: { ...opened.value, configWarnings: configured.warnings } } : opened;
  };
  return {
    packageRoot: root,
    openCheck: async (startDir) => {
      const projectRoot = await nearestProject(await outsideWorkspaces(startDir));
      const loaded = await loadConfig(projectRoot, userFolder, process.env);
      const config = loaded.ok ? loaded.config : null;
      return {
        ok: true,
        value: {
          brokenConfig: loaded.ok ? null : loaded.file,
          configWarnings: loaded.ok ? loaded.warnings : [],
          templateReader: loadTemplateReader,
          workflowFolders: folders(projectRoot, userFolder, root).workflows,
          context: {
            defaults: limitDefaults(config),
            names: config === null ? null : await knownNames(config, folders(projectRoot, userFolder, root)),
            inputs: null,
          },
        },
      };
    },
    openRecords: async (startDir) => openRecords(startDir, userFolder),
    openUpkeep: async (startDir) => {
      const opened = await openConfigured(startDir, userFolder);
      if (!opened.ok) return opened;
      const { createUpkeepSetup } = await import('./wiring/upkeep.ts');
      return { ok: true, value: createUpkeepSetup(opened.value) };
    },
    openProject: async (startDir) => {
      const opened = await openConfigured(startDir, userFolder);
      return opened.ok ? assemble(opened.value) : opened;
    },
    tryAgent: async (startDir, request) => {
      const opened = await openConfigured(startDir, userFolder);
      if (!opened.ok) return opened;
      const project = await assemble(opened.value);
      if (!project.ok) return project;
      const { tryAgent } = await import('./wiring/try-agent.ts');
      const { config } = opened.value;
      return tryAgent({ ...request, config, project: project.value, env: process.env });
    },
    openPolicy: async (startDir, wanted) => {
      const { openPolicy } = await import('./wiring/open-policy.ts');
      const projectRoot = await nearestProject(await outsideWorkspaces(startDir));
      return openPolicy({
        workspace: await nearestProject(resolve(startDir)),
        projectRoot,
        userFolder,
        policyFolders: folders(projectRoot, userFolder, root).policies,
        env: process.env,
        wanted,
      });
    },
    openPlanner: async (startDir, name) => {
      const projectRoot = await nearestProject(await outsideWorkspaces(startDir));
      const loaded = await loadConfig(projectRoot, userFolder, process.env);
      if (!loaded.ok) return brokenConfig(loaded.file);
      const { openPlanner } = await import('./wiring/open-planner.ts');
      const promptFolders = folders(projectRoot, userFolder, root).prompts;
      return openPlanner({ projectRoot, config: loaded.config, promptFolders, env: process.env, name });
    },
    openScope: async (startDir, base) => {
      const { openScope } = await import('./wiring/open-scope.ts');
      return openScope(resolve(startDir), base);
    },
    openWork: async (startDir, options) => {
      const opened = await openConfigured(startDir, userFolder);
      if (!opened.ok) return opened;
      const project = await assemble(opened.value);
      if (!project.ok) return project;
      const { assembleWork } = await import('./wiring/work.ts');
      return { ok: true, value: assembleWork({ ...opened.value, project: project.value, options }) };
    },
    makeDemoRepository: async () => {
      const { makeDemoRepository } = await import('./wiring/demo-repository.ts');
      return makeDemoRepository(root);
    },
    detectValidators: async (repoRoot) => {
      const { detectValidators } = await import('./adapters/project/detect-validators.ts');
      return detectValidators(repoRoot);
    },
    detectSetup: async (repoRoot) => {
      const { readTopFiles } = await import('./adapters/setup/top-files.ts');
      const { detectSetup } = await import('./setup/detect-setup.ts');
      return detectSetup(await readTopFiles(repoRoot));
    },
    openTrust: async (startDir, wanted) => {
      const { openTrust } = await import('./wiring/trust.ts');
      return openTrust({ ...(await locateTrust(startDir)), userFolder, env: process.env }, wanted);
    },
    listTrusted: async () => {
      const { listTrusted } = await import('./wiring/trust.ts');
      return listTrusted(process.env);
    },
    revokeTrust: async (startDir) => {
      const { revokeTrust } = await import('./wiring/trust.ts');
      return revokeTrust({ ...(await locateTrust(startDir)), env: process.env });
    },
    examine: async (startDir) => {
      const { examine } = await import('./wiring/examine.ts');
      const policyFolders = (projectRoot: string) => folders(projectRoot, userFolder, root).policies;
      return examine(await outsideWorkspaces(startDir), { userFolder, policyFolders, env: process.env });
    },
  };
}

export interface Folders {
  readonly prompts: readonly string[];
  readonly policies: readonly string[];
  readonly workflows: readonly string[];
}

/** Catalogs, nearest first: the repository's, the user's, the built-in ones. */
function folders(projectRoot: string, userFolder: string, root: string): Folders {
  const of = (name: string) => [`${projectRoot}/.tnh/${name}`, `${userFolder}/${name}`, `${root}/${name}`];
  return { prompts: of('prompts'), policies: of('policies'), workflows: of('workflows') };
}

async function openRecords(startDir: string, userFolder: string): Promise<Opened<Records>> {
  const opened = await openConfigured(startDir, userFolder);
  if (!opened.ok) return opened;
  const { createRecords } = await import('./wiring/records.ts');
  return { ok: true, value: createRecords(opened.value.repoRoot, opened.value.config) };
}

const foundRepositories = new Map<string, Extract<FoundRepository, { ok: true }>>();

/** Caches the repository of a folder: loading the configuration and checking trust would each ask git for it. */
async function findRepositoryOnce(startDir: string): Promise<FoundRepository> {
  const { findRepository } = await import('./adapters/workspace/git/find-repository.ts');
  const found = foundRepositories.get(startDir) ?? (await findRepository(startDir));
  if (found.ok) foundRepositories.set(startDir, found);
  return found;
}

/** Outside a repository, the folder itself is what gets trusted: `conductor harness` runs without a repository, too. */
async function locateTrust(
  startDir: string,
): Promise<{ readonly repoRoot: string; readonly gitDir: string }> {
  const start = await outsideWorkspaces(startDir);
  const found = await findRepositoryOnce(start);
  if (found.ok) return found;
  const folder = await nearestProject(start);
  return { repoRoot: folder, gitDir: folder };
}

async function openConfigured(startDir: string, userFolder: string): Promise<Opened<Configured>> {
  const found = await findRepositoryOnce(await outsideWorkspaces(startDir));
  if (!found.ok) return { ok: false, document: null, obstacle: repositoryObstacle(found.reason, startDir) };
  const loaded: LoadedConfig = await loadConfig(found.repoRoot, userFolder, process.env);
  if (!loaded.ok) return brokenConfig(loaded.file);
  const { config, warnings } = loaded;
  const { listCheckoutFolders } = await import('./adapters/workspace/git/find-repository.ts');
  const { resolveWorkspacesFolder } = await import('./adapters/project/workspaces-folder.ts');
  const { stateFolderOf } = await import('./adapters/system/credential-waits.ts');
  const workspaces = await resolveWorkspacesFolder({
    repoRoot: found.repoRoot,
    gitDir: found.gitDir,
    checkouts: await listCheckoutFolders(found.gitDir),
    configured: config.paths.workspaces,
    stateFolder: stateFolderOf(process.env),
    home: process.env.HOME,
  });
  if (!workspaces.ok) return { ok: false, document: null, obstacle: workspaces };
  const { repoRoot, gitDir } = found;
  return { ok: true, value: { repoRoot, gitDir, workspacesDir: workspaces.folder, config, warnings } };
}

function brokenConfig(file: BrokenFile): Opened<never> {
  return {
    ok: false,
    document: file,
    obstacle: {
      message: `${file.name} ${file.problem}`,
      help: file.name.endsWith('.yaml') ? 'correct it; an empty file is valid' : 'correct it, or unset it',
    },
  };
}
