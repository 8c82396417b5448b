import type { DetectedValidator } from '../../../contracts/config/detected-validator.ts';
import { asObject, parseJsonObject } from '../../../text/json.ts';
import { findTasks, type ProjectFiles, TASK_NAMES } from './found-commands.ts';

type PackageManager = 'npm' | 'pnpm' | 'yarn' | 'bun';

/** The package manager of each lock file. npm's come last, because stale ones are common. */
const LOCK_FILES: readonly (readonly [string, PackageManager])[] = [
  ['pnpm-lock.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
  ['bun.lock', 'bun'],
  ['bun.lockb', 'bun'],
  ['package-lock.json', 'npm'],
  ['npm-shrinkwrap.json', 'npm'],
];

/** npm's placeholder for a package without tests always fails, so it does not count as a test script. */
const NO_TEST = /no test specified/;

export function findPackageScripts(files: ProjectFiles): DetectedValidator[] {
  const text = files.get('package.json');
  if (text === undefined) return [];
  const manifest = parseJsonObject(text) ?? {};
  const manager = managerOf(files, manifest);
  const own = findTasks(
    TASK_NAMES,
    (task) => hasScript(manifest, task),
    (task) => scriptCommand(manager, task),
    (task) => `script "${task}" of package.json`,
  );
  return [...own, ...findWorkspaceScripts(files, manifest, manager)];
}

/**
 * Scripts that a monorepo defines only in its packages. At least one package must have the script: running
 * nothing is not a pass.
 */
function findWorkspaceScripts(
  files: ProjectFiles,
  manifest: Readonly<Record<string, unknown>>,
  manager: PackageManager,
): DetectedValidator[] {
  if (manifest.workspaces === undefined && !files.has('pnpm-workspace.yaml')) return [];
  const members = [...files].filter(([path]) => path.endsWith('/package.json'));
  const manifests = members.map(([, text]) => parseJsonObject(text) ?? {});
  // yarn 1 and later versions have no common command for this.
  if (manager === 'yarn') return [];
  return findTasks(
    TASK_NAMES,
    (task) => manifests.some((member) => hasScript(member, task)),
    (task) => workspacesCommand(manager, task),
    (task) => `script "${task}" of the packages in this workspace`,
  );
}

function managerOf(files: ProjectFiles, manifest: Readonly<Record<string, unknown>>): PackageManager {
  const declared = typeof manifest.packageManager === 'string' ? manifest.packageManager : '';
  const named = (['npm', 'pnpm', 'yarn', 'bun'] as const).find(
    (manager) => declared === manager || declared.startsWith(`${manager}@`),
  );
  return named ?? LOCK_FILES.find(([path]) => files.has(path))?.[1] ?? 'npm';
}

function hasScript(manifest: Readonly<Record<string, unknown>>, task: string): boolean {
  const script = Object.entries(asObject(manifest.scripts)).find(([name]) => name === task)?.[1];
  if (typeof script !== 'string' || script.trim() === '') return false;
  return task !== 'test' || !NO_TEST.test(script);
}

/** `bun test` would run bun's own test runner instead of the script. */
function scriptCommand(manager: PackageManager, task: string): readonly [string, ...string[]] {
  return task === 'test' && manager !== 'bun' ? [manager, 'test'] : [manager, 'run', task];
}

function workspacesCommand(
  manager: Exclude<PackageManager, 'yarn'>,
  task: string,
): readonly [string, ...string[]] {
  switch (manager) {
    case 'npm':
      return ['npm', 'run', task, '--workspaces', '--if-present'];
    case 'pnpm':
      return ['pnpm', '--recursive', '--if-present', 'run', task];
    case 'bun':
      return ['bun', 'run', '--filter', '*', task];
  }
}
