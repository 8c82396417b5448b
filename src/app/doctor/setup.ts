import { join, relative, resolve } from 'node:path';
import type { Config } from '../../contracts/config/config.ts';
import type { SetupConfig } from '../../contracts/config/setup-config.ts';
import type { PlacedWarning } from '../../diagnostics/diagnostic.ts';
import { pickVariables, removeCheckoutPaths } from '../../policy/environment.ts';
import type { Files } from '../../ports/project-files.ts';
import type { ResolveProgram } from '../../ports/supervisor.ts';
import type { TopFiles } from '../../setup/lock-files.ts';
import { findOutsidePaths } from '../../setup/outside-paths.ts';
import { missingSetupAdvice } from '../../setup/setup-block.ts';
import { type DiskUse, type DiskUsePlaces, diskUseProblem, diskUseText } from '../disk-use.ts';
import { type Finding, missing, ok, problem } from './finding.ts';

export interface SetupDeps {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly exists: Files['exists'];
  readonly resolveProgram: ResolveProgram;
  readonly readTopFiles: (folder: string) => Promise<TopFiles>;
  readonly measureDiskUse: (places: DiskUsePlaces) => Promise<DiskUse>;
  readonly resolveWorkspaces: (place: RepositoryPlace, config: Config) => Promise<WorkspacesFolder>;
  /** Whether the result of the setup is in the cache. Asks the setup's programs for their versions. */
  readonly isSetupStored: (request: StoredSetupRequest) => Promise<boolean>;
}

export interface RepositoryPlace {
  readonly repoRoot: string;
  readonly gitDir: string;
}

type WorkspacesFolder =
  | { readonly ok: true; readonly folder: string }
  | { readonly ok: false; readonly message: string; readonly help: string };

export interface StoredSetupRequest {
  readonly setup: SetupConfig;
  readonly repoRoot: string;
  readonly workspacesFolder: string;
  readonly env: Readonly<Record<string, string>>;
}

interface SetupRequest {
  readonly place: RepositoryPlace;
  readonly config: Config;
  /** Whether programs that the configuration names may be started to ask for their versions. */
  readonly mayStart: boolean;
}

/** One finding per warning. Warnings don't keep a run from starting. */
export function configFindings(root: string, warnings: readonly PlacedWarning[]): Finding[] {
  if (warnings.length === 0) return [ok('configuration', 'valid')];
  return warnings.map(({ name, line, code, message, help }) => {
    const place = line === null ? name : `${relative(root, name)}:${line}`;
    return missing('configuration', `${place}: ${message} [${code}]`, help);
  });
}

/** Reports the workspaces folder, the setup of checkouts, and whether validators run on the base commit first. */
export async function examineSetup(deps: SetupDeps, request: SetupRequest): Promise<Finding[]> {
  const { config, place } = request;
  const workspaces = await deps.resolveWorkspaces(place, config);
  const baseline =
    config.baseline === 'on'
      ? 'on: the validators of a workflow run once on the base commit before its first agent'
      : 'off: nothing shows which checks failed before the first agent';
  return [
    workspaces.ok
      ? ok('workspaces', workspaces.folder)
      : problem('workspaces', workspaces.message, workspaces.help),
    ...(workspaces.ok ? [await examineDiskUse(deps, request, workspaces.folder)] : []),
    ...(config.setup === null
      ? [examineMissingSetup(await deps.readTopFiles(place.repoRoot))]
      : await examineConfigured(deps, request, config.setup, workspaces.ok ? workspaces.folder : null)),
    ok('baseline', baseline),
  ];
}

async function examineDiskUse(
  { measureDiskUse }: SetupDeps,
  { place, config }: SetupRequest,
  workspacesFolder: string,
): Promise<Finding> {
  const use = await measureDiskUse({
    runsFolder: resolve(place.repoRoot, config.paths.runs),
    workspacesFolder,
  });
  const scarce = diskUseProblem(use);
  return scarce === null
    ? ok('disk', diskUseText(use))
    : missing('disk', `${scarce.message}: ${diskUseText(use)}`, scarce.help);
}

function examineMissingSetup(topFiles: TopFiles): Finding {
  const { hasLockFileWithDependencies, lockFiles, block } = missingSetupAdvice(topFiles);
  if (!hasLockFileWithDependencies)
    return ok('setup', 'none: no lock file at the top of the repository lists dependencies');
  const verb = lockFiles.length === 1 ? 'lists' : 'list';
  return missing(
    'setup',
    `${lockFiles.join(', ')} ${verb} dependencies, and nothing installs them in the checkouts of a run`,
    `add this to .tnh/config.yaml:\n${block.trimEnd()}`,
  );
}

async function examineConfigured(
  deps: SetupDeps,
  { place: { repoRoot }, config, mayStart }: SetupRequest,
  setup: SetupConfig,
  workspacesFolder: string | null,
): Promise<Finding[]> {
  const allowed = pickVariables(deps.env, config.environment);
  const { env } = removeCheckoutPaths(allowed, [repoRoot], (path) => path);
  const problems = await findSetupProblems(deps, setup, repoRoot, env.PATH);
  if (problems.length > 0) return problems;
  const commands = setup.run.map((command) => command.join(' '));
  const isCacheKnown = setup.cache !== null && workspacesFolder !== null && mayStart;
  const isStored = isCacheKnown ? await deps.isSetupStored({ setup, repoRoot, workspacesFolder, env }) : null;
  const parts = [
    ...(commands.length === 0 ? [] : [`runs ${commands.join(', then ')}`]),
    ...(setup.cache === null ? [] : [describeCache(setup.cache, isStored)]),
    ...(setup.copy.length === 0 ? [] : [`copies ${setup.copy.join(', ')}`]),
    ...(setup.ports === 0 ? [] : [`reserves ${setup.ports} ports`]),
  ];
  return [ok('setup', parts.join('; '))];
}

async function findSetupProblems(
  { resolveProgram, exists, readTopFiles }: SetupDeps,
  setup: SetupConfig,
  repoRoot: string,
  path: string | undefined,
): Promise<Finding[]> {
  const problems: Finding[] = [];
  const report = (detail: string, help: string) => problems.push(problem('setup', detail, help));
  for (const program of new Set(setup.run.map(([first]) => first)))
    if (!program.includes('/') && (await resolveProgram(program, { cwd: '/', path })) === null)
      report(`${program} is not on the PATH`, `install ${program}, or change setup.run`);
  for (const copied of setup.copy)
    if (!/[*?[{]/.test(copied) && !(await exists(join(repoRoot, copied))))
      report(`setup.copy: ${copied} does not exist`, 'create it, or remove it from setup.copy');
  for (const { file, path: outside } of findOutsidePaths(await readTopFiles(repoRoot)))
    report(
      `${file} depends on ${outside}, which is outside the repository; a run can't install it`,
      'move it into the repository, depend on a published version, or remove it',
    );
  return problems;
}

/** `isStored`: null if unknown. */
function describeCache({ paths, key }: NonNullable<SetupConfig['cache']>, isStored: boolean | null): string {
  const kept = `keeps ${paths.join(', ')} for ${key.join(', ')}`;
  if (isStored === null) return kept;
  return `${kept}: ${isStored ? 'stored, so a run starts without the commands' : 'nothing is stored for them yet'}`;
}
