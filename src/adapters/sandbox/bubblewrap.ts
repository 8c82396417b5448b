import { readdir, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Confinement, KeptFolder, Sandbox } from '../../ports/sandbox.ts';
import type { ResolveProgram } from '../../ports/supervisor.ts';
import { isPathInside } from '../../text/paths.ts';
import { foldersOf, listVisibleHome, listVisiblePath } from './home-view.ts';
import { type Mount, mountFlags, planMounts } from './mount-plan.ts';
import type { RootOnly } from './root-only.ts';

export interface BubblewrapDeps {
  /** The program and the flags that it needs on this machine. */
  readonly command: readonly [string, ...string[]];
  readonly home: string;
  /** The folder for temporary files on this machine. */
  readonly tempFolder: string;
  /** The PATH that agents and validators get. */
  readonly searchPath: string | undefined;
  readonly resolveProgram: ResolveProgram;
  /** Maximum size of each private folder. Private folders are in memory. */
  readonly privateBytes: number;
  /** Files and folders that only root can read; empty unless conductor runs as root. */
  readonly rootOnly: () => Promise<RootOnly>;
}

/**
 * Separate namespaces, no capabilities (a process of root would have them all), and death with the parent process. No
 * new session: the supervisor has already started one and stops the process by its group.
 */
export const SANDBOX_FLAGS = [
  '--unshare-pid',
  '--unshare-ipc',
  '--unshare-uts',
  '--unshare-cgroup-try',
  '--cap-drop',
  'ALL',
  '--die-with-parent',
  '--ro-bind',
  '/',
  '/',
  '--dev',
  '/dev',
  '--remount-ro',
  '/dev',
  '--proc',
  '/proc',
  // Root can write these files even without capabilities, and they control the whole machine: a program in
  // `core_pattern` would run outside of the sandbox.
  ...['/proc/sys', '/proc/fs'].flatMap((path) => ['--ro-bind-try', path, path]),
];

/** Homes, temporary files, and sockets that control other programs. Each sandbox gets empty folders in their place. */
const PRIVATE_FOLDERS = ['/home', '/root', '/tmp', '/var/tmp', '/run', '/var/run'];
/** Gets a private folder of limited size. The rest of `/dev` is read-only. */
const SHARED_MEMORY = '/dev/shm';

/** Files in the private folders that are needed to resolve host names or to find programs. */
const SYSTEM_FILES = ['/run/systemd/resolve', '/run/current-system', '/run/opengl-driver'];
/** On many machines a link into `/run`. */
const RESOLVER_FILE = '/etc/resolv.conf';

export function createBubblewrap(deps: BubblewrapDeps): Sandbox {
  return {
    name: 'bubblewrap',
    wrapCommand: async (argv, cwd, confinement) => {
      const mounts = await collectMounts(deps, argv, cwd, confinement);
      return [
        ...deps.command,
        ...SANDBOX_FLAGS,
        ...(confinement.network === 'deny' ? ['--unshare-net'] : []),
        ...mountFlags(planMounts(mounts), deps.privateBytes),
        '--chdir',
        await realpath(cwd).catch(() => cwd),
        '--',
        ...argv,
      ];
    },
  };
}

async function collectMounts(
  deps: BubblewrapDeps,
  argv: readonly [string, ...string[]],
  cwd: string,
  confinement: Confinement,
): Promise<Mount[]> {
  const own = await realFolders([...PRIVATE_FOLDERS, deps.home, deps.tempFolder]);
  const given = [
    ...(await findMounts(confinement.readable, 'readable')),
    ...(await findMounts(confinement.writable, 'writable')),
    ...(await resolveKept(confinement.kept ?? [])),
  ];
  const shown = await findMounts(
    [
      ...SYSTEM_FILES,
      await realpath(RESOLVER_FILE).catch(() => RESOLVER_FILE),
      ...listVisibleHome(deps.home, confinement.network === 'allow'),
      ...listVisiblePath(deps.searchPath),
      ...(await findProgramFiles(deps, argv, cwd, own)),
    ],
    'readable',
  );
  const rootOnly = await deps.rootOnly();
  const isBelow = (folder: string, { path }: Mount): boolean => isPathInside(folder, path);
  // A mount must not expose a whole private folder, even if a home is on the PATH or behind a link on it.
  const exposesPrivate = ({ path, source }: Mount): boolean =>
    own.some((folder) => isPathInside(path, folder) || isPathInside(source, folder));
  return [
    ...[...own, SHARED_MEMORY].map((path): Mount => ({ path, source: path, access: 'private' })),
    ...rootOnly.folders.map((path): Mount => ({ path, source: path, access: 'hidden' })),
    ...rootOnly.files.map((path): Mount => ({ path, source: path, access: 'sealed' })),
    ...(await findMounts(confinement.hidden, 'hidden')),
    // Outside of private folders everything is visible anyway. Inside granted folders a read-only mount would take back
    // part of what was granted.
    ...shown.filter(
      (mount) =>
        own.some((folder) => isBelow(folder, mount)) &&
        !exposesPrivate(mount) &&
        !given.some((other) => isBelow(other.path, mount)),
    ),
    ...given,
  ];
}

/** Only existing paths can be mounted. A link is mounted as its target, under the name of the link. */
async function findMounts(paths: readonly string[], access: Mount['access']): Promise<Mount[]> {
  const found = await Promise.all(
    paths.map(async (path): Promise<Mount | null> => {
      try {
        const folder = await realpath(dirname(path));
        return { path: join(folder, basename(path)), source: await realpath(path), access };
      } catch {
        return null;
      }
    }),
  );
  return found.filter((mount) => mount !== null);
}

async function resolveKept(kept: readonly KeptFolder[]): Promise<Mount[]> {
  return Promise.all(
    kept.map(async ({ path, source }): Promise<Mount> => {
      return { path: await resolveExisting(path), source: await realpath(source), access: 'writable' };
    }),
  );
}

/** Resolves the links of a path, as far as it exists. */
async function resolveExisting(path: string): Promise<string> {
  const real = await realpath(path).catch(() => null);
  if (real !== null || dirname(path) === path) return real ?? path;
  return join(await resolveExisting(dirname(path)), basename(path));
}

/**
 * Finds what a process needs to see to start: the program and files that the command line names, and the targets of
 * links on the PATH.
 */
async function findProgramFiles(
  { resolveProgram, searchPath }: BubblewrapDeps,
  argv: readonly [string, ...string[]],
  cwd: string,
  own: readonly string[],
): Promise<string[]> {
  const program = await resolveProgram(argv[0], { cwd, path: searchPath });
  const named = [...(program === null ? [] : [program]), ...argv.filter((word) => word.startsWith('/'))];
  const linked = await Promise.all(foldersOf(searchPath).map((folder) => listLinks(folder, own)));
  const isTop = (folder: string): boolean => own.includes(folder);
  // A script loads other files of its folder, so the whole folder is shown. Not so the top of a home, which contains
  // everything, or a folder for settings, such as `.config`, which contains credentials.
  const isSettings = (folder: string): boolean => basename(folder).startsWith('.') && isTop(dirname(folder));
  return [
    ...(await realPaths(named)).map((path) =>
      isTop(dirname(path)) || isSettings(dirname(path)) ? path : dirname(path),
    ),
    // The command line does not name these, so of a folder directly below a home only the file itself is shown.
    ...(await realPaths(linked.flat())).map((path) =>
      isTop(dirname(path)) || isTop(dirname(dirname(path))) ? path : dirname(path),
    ),
  ];
}

/**
 * Lists the links in a folder of the PATH: programs are often links to another folder. Only private folders need this,
 * because links elsewhere work anyway.
 */
async function listLinks(folder: string, own: readonly string[]): Promise<string[]> {
  if (!own.some((one) => isPathInside(one, folder))) return [];
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isSymbolicLink()).map((entry) => join(folder, entry.name));
}

/** Resolves links, and drops duplicates and missing paths. */
async function realPaths(paths: readonly string[]): Promise<string[]> {
  const found = await Promise.all(paths.map((path) => realpath(path).catch(() => null)));
  return [...new Set(found.filter((path) => path !== null))];
}

/** The root folder can't be replaced: a home that is the root stays visible. */
async function realFolders(paths: readonly string[]): Promise<string[]> {
  const found = await Promise.all(
    (await realPaths(paths)).map(async (path) => ((await stat(path)).isDirectory() ? path : '/')),
  );
  return found.filter((path) => path !== '/');
}
