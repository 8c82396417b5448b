import { parse } from 'yaml';
import type { Command } from '../contracts/config/setup-config.ts';
import { NODE_LOCKS, PYTHON_LOCKS, REQUIREMENTS, type TopFiles } from './lock-files.ts';

/** How to install the dependencies of a repository, according to its lock files. */
export interface DetectedSetup {
  readonly run: readonly Command[];
  readonly key: readonly string[];
  readonly paths: readonly string[];
  /** The lock files that were found. */
  readonly sources: readonly string[];
  /** Whether setup creates a virtual environment, which contains its own path and can't be used in another checkout. */
  readonly hasVirtualEnvironment: boolean;
}

interface Part {
  readonly run: readonly Command[];
  readonly key: readonly string[];
  readonly paths: readonly string[];
  readonly sources: readonly string[];
}

const VENV = '.venv';
/** Names the packages of a pnpm workspace. */
export const PNPM_WORKSPACE = 'pnpm-workspace.yaml';

/** Null if the repository has no lock file. */
export function detectSetup(files: TopFiles): DetectedSetup | null {
  const parts = [
    detectNode(files),
    detectPython(files),
    ...(files.has('Gemfile.lock') ? [BUNDLER] : []),
    ...(files.has('composer.lock') ? [COMPOSER] : []),
  ].filter((part) => part !== null);
  if (parts.length === 0) return null;
  const all = (pick: (part: Part) => readonly string[]) => [...new Set(parts.flatMap(pick))];
  const paths = all((part) => part.paths);
  return {
    run: parts.flatMap((part) => part.run),
    key: all((part) => part.key),
    paths,
    sources: all((part) => part.sources),
    hasVirtualEnvironment: paths.includes(VENV),
  };
}

/** Bundler installs into the user's own folders unless the checkout says otherwise. */
const BUNDLER: Part = {
  run: [
    ['bundle', 'config', 'set', '--local', 'path', 'vendor/bundle'],
    ['bundle', 'config', 'set', '--local', 'frozen', 'true'],
    ['bundle', 'install'],
  ],
  key: ['Gemfile.lock'],
  paths: ['.bundle', 'vendor/bundle'],
  sources: ['Gemfile.lock'],
};

const COMPOSER: Part = {
  run: [['composer', 'install', '--no-interaction', '--no-progress']],
  key: ['composer.lock'],
  paths: ['vendor'],
  sources: ['composer.lock'],
};

function detectNode(files: TopFiles): Part | null {
  const lock = nodeLock(files);
  if (lock === null) return null;
  const members = workspacePatterns(files).map((pattern) => `${pattern}/node_modules`);
  const installed = { paths: ['node_modules', ...members], sources: [lock] };
  const key = [lock, ...['.npmrc', '.yarnrc.yml'].filter((name) => files.has(name))];
  switch (lock) {
    case 'pnpm-lock.yaml': {
      // Without this option, the scripts in `.bin` contain the path of the checkout that they were installed in.
      const command: Command = ['pnpm', 'install', '--frozen-lockfile', '--config.extend-node-path=false'];
      return { run: [command], key, ...installed };
    }
    case 'yarn.lock':
      return isBerry(files)
        ? {
            run: [['yarn', 'install', '--immutable']],
            key,
            ...installed,
            paths: berryPaths(files, installed.paths),
          }
        : { run: [['yarn', 'install', '--frozen-lockfile']], key, ...installed };
    case 'bun.lock':
    case 'bun.lockb':
      return { run: [['bun', 'install', '--frozen-lockfile']], key, ...installed };
    case 'package-lock.json':
    case 'npm-shrinkwrap.json':
      return { run: [['npm', 'ci']], key, ...installed };
  }
}

const LOCKS_OF_MANAGER: Readonly<Record<string, readonly string[]>> = {
  npm: ['package-lock.json', 'npm-shrinkwrap.json'],
  pnpm: ['pnpm-lock.yaml'],
  yarn: ['yarn.lock'],
  bun: ['bun.lock', 'bun.lockb'],
};

/** `packageManager` of `package.json` decides between several lock files. */
function nodeLock(files: TopFiles): (typeof NODE_LOCKS)[number] | null {
  const [, manager = ''] = /"packageManager"\s*:\s*"(\w+)/.exec(files.get('package.json') ?? '') ?? [];
  const preferred = LOCKS_OF_MANAGER[manager] ?? [];
  const found = NODE_LOCKS.filter((name) => files.has(name));
  return found.find((name) => preferred.includes(name)) ?? found[0] ?? null;
}

function isBerry(files: TopFiles): boolean {
  return /^__metadata:/m.test(files.get('yarn.lock') ?? '');
}

/** Yarn 2 and later install no `node_modules` unless `nodeLinker` asks for it. */
function berryPaths(files: TopFiles, ofModules: readonly string[]): readonly string[] {
  const [, linker = 'pnp'] = /^nodeLinker:\s*["']?([\w-]+)/m.exec(files.get('.yarnrc.yml') ?? '') ?? [];
  return linker === 'pnp'
    ? ['.pnp.cjs', '.pnp.loader.mjs', '.yarn/cache', '.yarn/unplugged', '.yarn/install-state.gz']
    : [...ofModules, '.yarn/install-state.gz'];
}

/** Folders of the workspace's packages, as globs. */
export function workspacePatterns(files: TopFiles): readonly string[] {
  const listed = [
    ...packagesIn(files.get('package.json') ?? '{}'),
    ...packagesOfPnpm(files.get(PNPM_WORKSPACE) ?? ''),
  ];
  const plain = listed.map((pattern) => pattern.replace(/^\.\//, '').replace(/\/+$/, ''));
  return plain.filter((pattern) => !/^!|^\.?$|^\/|(?:^|\/)\.\.(?:\/|$)/.test(pattern));
}

function packagesOfPnpm(text: string): string[] {
  try {
    const { packages } = (parse(text) ?? {}) as { packages?: unknown };
    return Array.isArray(packages) ? packages.filter((each) => typeof each === 'string') : [];
  } catch {
    return [];
  }
}

function packagesIn(manifest: string): string[] {
  try {
    const { workspaces } = JSON.parse(manifest.replace(/^\ufeff/, '')) as {
      workspaces?: unknown[] | { packages?: unknown[] };
    };
    const listed = Array.isArray(workspaces) ? workspaces : workspaces?.packages;
    return Array.isArray(listed) ? listed.filter((each) => typeof each === 'string') : [];
  } catch {
    return [];
  }
}

/** Installs the project itself in editable mode: a copy would hide every later change from tests. */
function detectPython(files: TopFiles): Part | null {
  const lock = PYTHON_LOCKS.find((name) => files.has(name));
  const part = (run: readonly Command[], sources: readonly string[]): Part => ({
    run,
    key: [...sources, ...['pyproject.toml', 'setup.py', 'setup.cfg'].filter((name) => files.has(name))],
    paths: [VENV],
    sources,
  });
  switch (lock) {
    case 'uv.lock':
      return part([['uv', 'sync', '--frozen']], [lock]);
    case 'poetry.lock':
      // Poetry uses the virtual environment in the project folder if one exists.
      return part([MAKE_VENV, ['poetry', 'install', '--no-interaction']], [lock]);
    case 'pdm.lock':
      return part([['pdm', 'sync']], [lock]);
    case undefined: {
      const lists = REQUIREMENTS.filter((name) => files.has(name));
      if (lists.length === 0) return null;
      const own = isInstallable(files) ? ['-e', '.'] : [];
      const wanted = lists.flatMap((name) => ['-r', name]);
      return part([MAKE_VENV, [`${VENV}/bin/python`, '-m', 'pip', 'install', ...wanted, ...own]], lists);
    }
  }
}

const MAKE_VENV: Command = ['python3', '-m', 'venv', VENV];

function isInstallable(files: TopFiles): boolean {
  return files.has('setup.py') || /^\s*\[(?:build-system|project)\]/m.test(files.get('pyproject.toml') ?? '');
}

const PYTHON_PROGRAMS = /^(?:python3?|pytest|ruff|mypy|pyright|tox|nox|coverage)$/;

/** Replaces a Python program from the PATH by the one in the virtual environment that setup creates. */
export function inVirtualEnvironment(command: Command): Command {
  const [program, ...args] = command;
  return PYTHON_PROGRAMS.test(program) ? [`${VENV}/bin/${program}`, ...args] : command;
}

/** Whether commands have to name programs of the environment by path; `uv run` and `poetry run` find them. */
export function needsPathOfPrograms(setup: DetectedSetup | null): boolean {
  return setup?.run.some(([program]) => program === `${VENV}/bin/python`) === true;
}
