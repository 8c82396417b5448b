import { readdir, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Confinement, KeptFolder, Sandbox } from '../../ports/sandbox.ts';
import type { ResolveProgram } from '../../ports/supervisor.ts';
import { isPathInside } from '../../text/paths.ts';
import { foldersOf, shownOfHome, shownOfPath } from './home-view.ts';
import { type Mount, mountFlags, planMounts } from './mount-plan.ts';
import type { RootOnly } from './root-only.ts';

export interface BubblewrapDeps {
  /** The program, and what it has to be told on this machine. */
  readonly command: readonly [string, ...string[]];
  readonly home: string;
  /** Where temporary files go on this machine. */
  readonly tempFolder: string;
  /** The PATH that agents and validators get. */
  readonly searchPath: string | undefined;
  readonly resolveProgram: ResolveProgram;
  /** What each of the folders holds at most that are the process's own. They are in memory. */
  readonly privateBytes: number;
  /** Files and folders that only root can read, where conductor runs as root. */
  readonly rootOnly: () => Promise<RootOnly>;
}

/**
 * Namespaces of its own, no capabilities (as root it would have them all), and an end with whoever started it. It
 * begins no session: the supervisor has begun one for it, and ends it by its group.
 */
export const ENCLOSING_FLAGS = [
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
  // Its files can be written by whoever is root, capabilities or not, and say what the whole machine does: a program for
  // `core_pattern` would run outside.
  ...['/proc/sys', '/proc/fs'].flatMap((path) => ['--ro-bind-try', path, path]),
];

/** Homes, temporary files, and sockets by which other programs can be told to act: each gets empty ones of its own. */
const PRIVATE_FOLDERS = ['/home', '/root', '/tmp', '/var/tmp', '/run', '/var/run'];
/** The devices themselves are fixed; without this the folder around them could be filled like any other. */
const SHARED_MEMORY = '/dev/shm';

/** Files of those folders without which names of hosts, or programs, are not found. */
const SYSTEM_FILES = ['/run/systemd/resolve', '/run/current-system', '/run/opengl-driver'];
/** On many machines a link into `/run`. */
const RESOLVER_FILE = '/etc/resolv.conf';

export function createBubblewrap(deps: BubblewrapDeps): Sandbox {
  return {
    name: 'bubblewrap',
    enclose: async (argv, cwd, confinement) => {
      const mounts = await mountsOf(deps, argv, cwd, confinement);
      return [
        ...deps.command,
        ...ENCLOSING_FLAGS,
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

async function mountsOf(
  deps: BubblewrapDeps,
  argv: readonly [string, ...string[]],
  cwd: string,
  confinement: Confinement,
): Promise<Mount[]> {
  const own = await realFolders([...PRIVATE_FOLDERS, deps.home, deps.tempFolder]);
  const given = [
    ...(await findMounts(confinement.readable, 'readable')),
    ...(await findMounts(confinement.writable, 'writable')),
    ...(await keptMounts(confinement.kept ?? [])),
  ];
  const shown = await findMounts(
    [
      ...SYSTEM_FILES,
      await realpath(RESOLVER_FILE).catch(() => RESOLVER_FILE),
      ...shownOfHome(deps.home, confinement.network === 'allow'),
      ...shownOfPath(deps.searchPath),
      ...(await programFiles(deps, argv, cwd, own)),
    ],
    'readable',
  );
  const rootOnly = await deps.rootOnly();
  const covers = (folder: string, { path }: Mount): boolean => isPathInside(folder, path);
  // A home on the PATH, or behind a link there, is still a home.
  const bares = ({ path, source }: Mount): boolean =>
    own.some((folder) => isPathInside(path, folder) || isPathInside(source, folder));
  return [
    ...[...own, SHARED_MEMORY].map((path): Mount => ({ path, source: path, access: 'private' })),
    ...rootOnly.folders.map((path): Mount => ({ path, source: path, access: 'hidden' })),
    ...rootOnly.files.map((path): Mount => ({ path, source: path, access: 'sealed' })),
    ...(await findMounts(confinement.hidden, 'hidden')),
    // What is not replaced is there anyway, and what was given must not be taken back in part.
    ...shown.filter(
      (mount) =>
        own.some((folder) => covers(folder, mount)) &&
        !bares(mount) &&
        !given.some((other) => covers(other.path, mount)),
    ),
    ...given,
  ];
}

/** Only what is there can be mounted. A link is shown as what it leads to, under its own name. */
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

async function keptMounts(kept: readonly KeptFolder[]): Promise<Mount[]> {
  return Promise.all(
    kept.map(async ({ path, source }): Promise<Mount> => {
      return { path: await realPlace(path), source: await realpath(source), access: 'writable' };
    }),
  );
}

/** The path without links, as far as it exists. */
async function realPlace(path: string): Promise<string> {
  const real = await realpath(path).catch(() => null);
  if (real !== null || dirname(path) === path) return real ?? path;
  return join(await realPlace(dirname(path)), basename(path));
}

/** What is named on the command line was meant to be found: the program, and files that it is given. */
async function programFiles(
  { resolveProgram, searchPath }: BubblewrapDeps,
  argv: readonly [string, ...string[]],
  cwd: string,
  own: readonly string[],
): Promise<string[]> {
  const program = await resolveProgram(argv[0], { cwd, path: searchPath });
  const named = [...(program === null ? [] : [program]), ...argv.filter((word) => word.startsWith('/'))];
  const linked = await Promise.all(foldersOf(searchPath).map((folder) => linksIn(folder, own)));
  const isTop = (folder: string): boolean => own.includes(folder);
  // A script has neighbours that it loads. Beside a file at the top of a home lies everything, and beside one in a folder
  // for settings, such as `.config`, lie logins.
  const isSettings = (folder: string): boolean => basename(folder).startsWith('.') && isTop(dirname(folder));
  return [
    ...(await realPaths(named)).map((path) =>
      isTop(dirname(path)) || isSettings(dirname(path)) ? path : dirname(path),
    ),
    // Nobody has named these, so what lies beside them in a folder of the home is nobody's business.
    ...(await realPaths(linked.flat())).map((path) =>
      isTop(dirname(path)) || isTop(dirname(dirname(path))) ? path : dirname(path),
    ),
  ];
}

/** Programs are often links to where they really are. Elsewhere than in what is replaced, they lead there anyway. */
async function linksIn(folder: string, own: readonly string[]): Promise<string[]> {
  if (!own.some((one) => isPathInside(one, folder))) return [];
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isSymbolicLink()).map((entry) => join(folder, entry.name));
}

/** Real, without repetitions, and only what is there. */
async function realPaths(paths: readonly string[]): Promise<string[]> {
  const found = await Promise.all(paths.map((path) => realpath(path).catch(() => null)));
  return [...new Set(found.filter((path) => path !== null))];
}

/** The root itself can't be replaced: a home that is the root is shown as it is. */
async function realFolders(paths: readonly string[]): Promise<string[]> {
  const found = await Promise.all(
    (await realPaths(paths)).map(async (path) => ((await stat(path)).isDirectory() ? path : '/')),
  );
  return found.filter((path) => path !== '/');
}
