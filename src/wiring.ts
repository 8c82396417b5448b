import { resolve } from 'node:path';
import {
  type BrokenFile,
  type LoadedConfig,
  loadConfig,
  nearestProject,
  userFolderOf,
} from './adapters/project/project-files.ts';
import type { Config } from './contracts/config.ts';
import { packageRoot } from './package-root.ts';
import type { Opened, OpenProject, Records, Services } from './runtime/services.ts';
import { knownNames, limitDefaults, loadTemplateReader } from './wiring/known-names.ts';
import { repositoryObstacle } from './wiring/repository-obstacle.ts';

/** Puts adapters behind the services that surfaces use. Each service loads its adapters when it is asked. */
export function createServices(version: string): Services {
  const root = packageRoot();
  const userFolder = userFolderOf(process.env);
  const assemble = async ({ repoRoot, config }: Configured): Promise<Opened<OpenProject>> => {
    const { assembleProject } = await import('./wiring/project.ts');
    const found = folders(repoRoot, userFolder, root);
    return assembleProject({ repoRoot, config, folders: found, env: process.env, version });
  };
  return {
    packageRoot: root,
    openCheck: async (startDir) => {
      const projectRoot = await nearestProject(outsideWorktrees(startDir));
      const loaded = await loadConfig(projectRoot, userFolder, process.env);
      const config = loaded.ok ? loaded.config : null;
      return {
        ok: true,
        value: {
          brokenConfig: loaded.ok ? null : loaded.file,
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
      return { ok: true, value: createUpkeepSetup(opened.value.repoRoot, opened.value.config) };
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
      const projectRoot = await nearestProject(outsideWorktrees(startDir));
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
      const projectRoot = await nearestProject(outsideWorktrees(startDir));
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
      const { config } = opened.value;
      return { ok: true, value: assembleWork({ project: project.value, config, options }) };
    },
    makeDemoRepository: async () => {
      const { makeDemoRepository } = await import('./wiring/demo-repository.ts');
      return makeDemoRepository(root);
    },
    detectValidators: async (repoRoot) => {
      const { detectValidators } = await import('./adapters/project/detect-validators.ts');
      return detectValidators(repoRoot);
    },
    examine: async (startDir) => {
      const { examine } = await import('./wiring/examine.ts');
      const policyFolders = (projectRoot: string) => folders(projectRoot, userFolder, root).policies;
      return examine(outsideWorktrees(startDir), { userFolder, policyFolders, env: process.env });
    },
  };
}

/** In the worktree of a run, the repository it belongs to is meant. */
function outsideWorktrees(startDir: string): string {
  const path = resolve(startDir);
  return /^(.*)\/\.tnh\/worktrees\/[0-9a-f-]{36}(?:\/|$)/.exec(path)?.[1] ?? path;
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

interface Configured {
  readonly repoRoot: string;
  readonly config: Config;
}

async function openConfigured(startDir: string, userFolder: string): Promise<Opened<Configured>> {
  const { findRepository } = await import('./adapters/git/find-repository.ts');
  const found = await findRepository(outsideWorktrees(startDir));
  if (!found.ok) return { ok: false, document: null, obstacle: repositoryObstacle(found.reason, startDir) };
  const loaded: LoadedConfig = await loadConfig(found.repoRoot, userFolder, process.env);
  if (!loaded.ok) return brokenConfig(loaded.file);
  return { ok: true, value: { repoRoot: found.repoRoot, config: loaded.config } };
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
