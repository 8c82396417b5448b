import { isPathInside } from '../text/paths.ts';

/** Passes only the named variables to agents and validators, so that they don't see the parent's secrets. */
export function pickVariables(
  env: Readonly<Record<string, string | undefined>>,
  names: readonly string[],
): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** The tokens of a forge are conductor's own: no agent gets them, even if the configuration lists their names. */
export function withoutVariables(
  env: Readonly<Record<string, string | undefined>>,
  names: readonly string[],
): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !names.includes(name)));
}

/** Variables that name the folders or files from which programs load code. */
const LOOKUP_VARIABLES: readonly string[] = [
  'PATH',
  'VIRTUAL_ENV',
  'CONDA_PREFIX',
  'PYTHONPATH',
  'PYTHONHOME',
  'PYTHONUSERBASE',
  'NODE_PATH',
  'GOPATH',
  'GOWORK',
  'PERL5LIB',
  'RUBYLIB',
  'BUNDLE_GEMFILE',
  'CLASSPATH',
  'LD_LIBRARY_PATH',
];

export interface CleanEnvironment {
  readonly env: Readonly<Record<string, string>>;
  /** Folders that were removed from the PATH. */
  readonly hiddenFolders: readonly string[];
  /** The checkouts whose programs a run must not start. */
  readonly checkouts: readonly string[];
}

/**
 * Removes entries that lead into the user's checkouts from the environment: `npx` and an active virtual environment put
 * folders of a checkout on the PATH, and their programs would run its code instead of the run's. If the home folder
 * itself is inside a repository (versioned dotfiles), it contains the user's own programs, so nothing is removed.
 */
export function removeCheckoutPaths(
  env: Readonly<Record<string, string>>,
  checkouts: readonly string[],
  realPath: (path: string) => string,
): CleanEnvironment {
  const isOfCheckout = (path: string) =>
    path.startsWith('/') && checkouts.some((checkout) => isPathInside(checkout, realPath(path)));
  if (env.HOME !== undefined && isOfCheckout(env.HOME)) return { env, hiddenFolders: [], checkouts: [] };
  const kept = Object.entries(env).flatMap(([name, value]) => {
    if (!LOOKUP_VARIABLES.includes(name)) return [[name, value] as const];
    const places = value.split(':').filter((place) => !isOfCheckout(place));
    // An empty PATH differs from an unset one, for which the system has a default.
    return places.length === 0 && name !== 'PATH' ? [] : [[name, places.join(':')] as const];
  });
  const hiddenFolders = (env.PATH ?? '').split(':').filter(isOfCheckout);
  return { env: Object.fromEntries(kept), hiddenFolders, checkouts };
}
