import { resolve } from 'node:path';
import { brokenPolicies, listPolicies } from '../adapters/project/policy-files.ts';
import { loadConfig, nearestProject, userFolderOf } from '../adapters/project/project-files.ts';
import { leaveRunCheckout } from '../adapters/project/run-checkout.ts';
import { hasPrompts, indexPrompts } from '../adapters/prompts/prompt-files.ts';
import type { FoundRepository } from '../adapters/workspace/git/find-repository.ts';
import { type CheckSetup, type Opened, refuse, refuseConfig } from '../app/opened.ts';
import type { Config } from '../contracts/config/config.ts';
import type { ReadTemplate } from '../contracts/documents/prompt.ts';
import type { PlacedWarning } from '../diagnostics/diagnostic.ts';
import { packageRoot } from '../package-root.ts';
import type { LoadedConfig } from '../ports/project-files.ts';
import type { Obstacle } from '../runtime/obstacle.ts';
import { limitDefaults } from '../workflow/config/limit-defaults.ts';
import type { KnownNames } from '../workflow/rule.ts';

/** A repository with its configuration. */
export interface Configured {
  readonly repoRoot: string;
  /** The git folder that all worktrees of the repository share. */
  readonly gitDir: string;
  /** Contains the workspaces of the repository's runs. */
  readonly workspacesDir: string;
  readonly config: Config;
  /** Whether runs move between machines: a hub is configured. */
  readonly movesRuns?: boolean;
  /** Problems of the configuration that don't make it unusable. */
  readonly warnings: readonly PlacedWarning[];
}

export interface CatalogFolders {
  readonly prompts: readonly string[];
  readonly policies: readonly string[];
  readonly workflows: readonly string[];
}

/** Catalogs, nearest first: the repository's, the user's, the built-in ones. */
export function catalogFolders(projectRoot: string): CatalogFolders {
  const places = [`${projectRoot}/.tnh`, userFolderOf(process.env), packageRoot()];
  const of = (name: string) => places.map((place) => `${place}/${name}`);
  return { prompts: of('prompts'), policies: of('policies'), workflows: of('workflows') };
}

/** The configuration that applies in a folder. */
export function loadConfigOf(root: string, env = process.env): Promise<LoadedConfig> {
  return loadConfig(root, userFolderOf(process.env), env);
}

/** Finds the project without running git. In a run's checkout, it is the repository that the run belongs to. */
export async function findProject(startDir: string): Promise<string> {
  return nearestProject(await leaveRunCheckout(startDir));
}

export async function openCheck(startDir: string): Promise<Opened<CheckSetup>> {
  const projectRoot = await findProject(startDir);
  const folders = catalogFolders(projectRoot);
  const loaded = await loadConfigOf(projectRoot);
  const config = loaded.ok ? loaded.config : null;
  return {
    ok: true,
    value: {
      brokenConfig: loaded.ok ? null : loaded.file,
      configWarnings: loaded.ok ? loaded.warnings : [],
      templateReader: loadTemplateReader,
      workflowFolders: folders.workflows,
      context: {
        defaults: limitDefaults(config),
        names: config === null ? null : await readKnownNames(config, folders),
        inputs: null,
      },
    },
  };
}

export async function readKnownNames(config: Config, folders: CatalogFolders): Promise<KnownNames> {
  // The template engine takes longer to load than most checks; the built-in prompts (the last folder) need no check.
  const readTemplate = hasPrompts(folders.prompts.slice(0, -1)) ? await loadTemplateReader() : null;
  return {
    agents: new Set(Object.keys(config.agents)),
    validators: new Set(Object.keys(config.validators)),
    policies: await listPolicies(folders.policies),
    brokenPolicies: await brokenPolicies(folders.policies),
    prompts: indexPrompts(folders.prompts, readTemplate),
    entrypoints: new Set(config.entrypoints),
  };
}

async function loadTemplateReader(): Promise<ReadTemplate> {
  const { createTemplateReader } = await import('../adapters/prompts/template.ts');
  return createTemplateReader();
}

/** Finds the repository, reads its configuration and resolves the folder of its workspaces. */
export async function openConfigured(startDir: string): Promise<Opened<Configured>> {
  const found = await findRepositoryOnce(await leaveRunCheckout(startDir));
  if (!found.ok) return { ok: false, document: null, obstacle: repositoryObstacle(found.reason, startDir) };
  const { repoRoot, gitDir } = found;
  const loaded = await loadConfigOf(repoRoot);
  if (!loaded.ok) return refuseConfig(loaded.file);
  const { config, warnings } = loaded;
  const workspaces = await resolveWorkspaces({ repoRoot, gitDir }, config);
  if (!workspaces.ok) return refuse(workspaces.message, workspaces.help);
  return {
    ok: true,
    value: {
      repoRoot,
      gitDir,
      workspacesDir: workspaces.folder,
      movesRuns: config.engine.hub !== null,
      config,
      warnings,
    },
  };
}

export async function resolveWorkspaces(
  { repoRoot, gitDir }: Pick<Configured, 'repoRoot' | 'gitDir'>,
  config: Config,
) {
  const { listCheckoutFolders } = await import('../adapters/workspace/git/find-repository.ts');
  const { resolveWorkspacesFolder } = await import('../adapters/project/workspaces-folder.ts');
  const { stateFolderOf } = await import('../adapters/system/credential-waits.ts');
  return resolveWorkspacesFolder({
    repoRoot,
    gitDir,
    checkouts: await listCheckoutFolders(gitDir),
    configured: config.paths.workspaces,
    stateFolder: stateFolderOf(process.env),
    home: process.env.HOME,
  });
}

const foundRepositories = new Map<string, Extract<FoundRepository, { ok: true }>>();

/** Caches the repository of a folder: loading the configuration and checking trust would each ask git for it. */
async function findRepositoryOnce(startDir: string): Promise<FoundRepository> {
  const { findRepository } = await import('../adapters/workspace/git/find-repository.ts');
  const found = foundRepositories.get(startDir) ?? (await findRepository(startDir));
  if (found.ok) foundRepositories.set(startDir, found);
  return found;
}

/** Outside a repository, the folder itself is what gets trusted: `conductor harness` runs without a repository, too. */
export async function locateTrust(startDir: string): Promise<Pick<Configured, 'repoRoot' | 'gitDir'>> {
  const start = await leaveRunCheckout(startDir);
  const found = await findRepositoryOnce(start);
  if (found.ok) return found;
  const folder = await nearestProject(start);
  return { repoRoot: folder, gitDir: folder };
}

/** Explains why no repository was found, and how to fix it. */
export function repositoryObstacle(
  reason: Extract<FoundRepository, { ok: false }>['reason'],
  startDir: string,
): Obstacle {
  const folder = resolve(startDir);
  switch (reason) {
    case 'not_a_folder':
      return { message: `there is no folder ${folder}`, help: 'name a checkout with --repo DIR' };
    case 'not_a_repository':
      return {
        message: `${folder} is not inside a git repository`,
        help: 'change to a checkout, name one with --repo DIR, or make one with git init',
      };
    case 'bare':
      return {
        message: `${folder} is a bare repository`,
        help: 'clone it and run conductor in the checkout',
      };
    case 'foreign_owner':
      return {
        message: `git does not trust ${folder}, because it belongs to another user`,
        help: `if you do: git config --global --add safe.directory ${folder}`,
      };
    case 'git_missing':
      return { message: 'git was not found', help: 'install git and put it on the PATH' };
  }
}
