import { access } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { resolveProgram } from '../adapters/process/program.ts';
import { createSupervisor, DEFAULT_PROCESS_LIMITS } from '../adapters/process/supervisor.ts';
import { resolveWorkspacesFolder } from '../adapters/project/workspaces-folder.ts';
import { createCheckoutSetup } from '../adapters/setup/checkout-setup.ts';
import { readTopFiles } from '../adapters/setup/top-files.ts';
import { stateFolderOf } from '../adapters/system/credential-waits.ts';
import { listCheckoutFolders } from '../adapters/workspace/git/find-repository.ts';
import type { Finding } from '../app/services.ts';
import type { Config } from '../contracts/config/config.ts';
import type { SetupConfig } from '../contracts/config/setup-config.ts';
import type { PlacedWarning } from '../diagnostics/diagnostic.ts';
import { findOutsidePaths } from '../setup/outside-paths.ts';
import { missingSetupAdvice } from '../setup/setup-block.ts';
import { allowlisted, withoutCheckouts } from './environment.ts';
import { durationOf } from './known-names.ts';

interface SetupPlace {
  readonly repoRoot: string;
  readonly gitDir: string;
  readonly config: Config;
  readonly env: NodeJS.ProcessEnv;
  /** Whether programs that the configuration names may be started to ask for their versions. */
  readonly mayStart: boolean;
}

/** One finding per warning. Warnings don't keep a run from starting. */
export function configFindings(root: string, warnings: readonly PlacedWarning[]): Finding[] {
  if (warnings.length === 0) return [finding('configuration', 'ok', 'valid', null)];
  return warnings.map(({ name, line, code, message, help }) => {
    const place = line === null ? name : `${relative(root, name)}:${line}`;
    return finding('configuration', 'missing', `${place}: ${message} [${code}]`, help);
  });
}

/** Reports the workspaces folder, the setup of checkouts, and whether validators run on the base commit first. */
export async function examineSetup(place: SetupPlace): Promise<Finding[]> {
  const { config } = place;
  const workspaces = await resolveWorkspacesFolder({
    ...place,
    checkouts: await listCheckoutFolders(place.gitDir),
    configured: config.paths.workspaces,
    stateFolder: stateFolderOf(place.env),
    home: place.env.HOME,
  });
  const baseline =
    config.baseline === 'on'
      ? 'on: the validators of a workflow run once on the base commit before its first agent'
      : 'off: nothing shows which checks failed before the first agent';
  return [
    workspaces.ok
      ? finding('workspaces', 'ok', workspaces.folder, null)
      : finding('workspaces', 'problem', workspaces.message, workspaces.help),
    ...(config.setup === null
      ? [await examineMissingSetup(place)]
      : await examineConfigured(place, config.setup, workspaces.ok ? workspaces.folder : null)),
    finding('baseline', 'ok', baseline, null),
  ];
}

async function examineMissingSetup({ repoRoot }: SetupPlace): Promise<Finding> {
  const { hasLockFileWithDependencies, lockFiles, block } = missingSetupAdvice(await readTopFiles(repoRoot));
  if (!hasLockFileWithDependencies)
    return finding('setup', 'ok', 'none: no lock file at the top of the repository lists dependencies', null);
  const verb = lockFiles.length === 1 ? 'lists' : 'list';
  return finding(
    'setup',
    'missing',
    `${lockFiles.join(', ')} ${verb} dependencies, and nothing installs them in the checkouts of a run`,
    `add this to .tnh/config.yaml:\n${block.trimEnd()}`,
  );
}

async function examineConfigured(
  place: SetupPlace,
  setup: SetupConfig,
  workspacesFolder: string | null,
): Promise<Finding[]> {
  const problems: Finding[] = [];
  const allowed = allowlisted(place.env, place.config.environment);
  const { env } = withoutCheckouts(allowed, [place.repoRoot], (path) => path);
  for (const program of new Set(setup.run.map(([first]) => first)))
    if (!program.includes('/') && (await resolveProgram(program, { cwd: '/', path: env.PATH })) === null)
      problems.push(
        finding(
          'setup',
          'problem',
          `${program} is not on the PATH`,
          `install ${program}, or change setup.run`,
        ),
      );
  for (const path of setup.copy)
    if (!/[*?[{]/.test(path) && !(await pathExists(join(place.repoRoot, path))))
      problems.push(
        finding(
          'setup',
          'problem',
          `setup.copy: ${path} does not exist`,
          'create it, or remove it from setup.copy',
        ),
      );
  for (const { file, path } of findOutsidePaths(await readTopFiles(place.repoRoot)))
    problems.push(
      finding(
        'setup',
        'problem',
        `${file} depends on ${path}, which is outside the repository; a run can't install it`,
        'move it into the repository, depend on a published version, or remove it',
      ),
    );
  if (problems.length > 0) return problems;
  const commands = setup.run.map((command) => command.join(' '));
  const parts = [
    ...(commands.length === 0 ? [] : [`runs ${commands.join(', then ')}`]),
    ...(setup.cache === null ? [] : [await describeCache(place, setup, workspacesFolder, env)]),
    ...(setup.copy.length === 0 ? [] : [`copies ${setup.copy.join(', ')}`]),
    ...(setup.ports === 0 ? [] : [`reserves ${setup.ports} ports`]),
  ];
  return [finding('setup', 'ok', parts.join('; '), null)];
}

async function describeCache(
  { repoRoot, mayStart }: SetupPlace,
  setup: SetupConfig,
  workspacesFolder: string | null,
  env: Readonly<Record<string, string>>,
): Promise<string> {
  const kept = `keeps ${setup.cache?.paths.join(', ')} for ${setup.cache?.key.join(', ')}`;
  if (workspacesFolder === null || !mayStart) return kept;
  const cacheFolder = join(workspacesFolder, 'setup');
  const checkouts = createCheckoutSetup({
    setup,
    repoRoot,
    cacheFolder,
    timeoutMs: durationOf(setup.timeout),
    portsFolder: join(workspacesFolder, 'ports'),
    supervisor: createSupervisor(),
    resolveProgram,
    ...DEFAULT_PROCESS_LIMITS,
  });
  const digest = await checkouts.digest({ checkout: repoRoot, env });
  const isStored = digest !== null && (await pathExists(join(cacheFolder, digest)));
  return `${kept}: ${isStored ? 'stored, so a run starts without the commands' : 'nothing is stored for them yet'}`;
}

function finding(name: string, state: Finding['state'], detail: string, help: string | null): Finding {
  return { name, state, detail, help };
}

async function pathExists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
