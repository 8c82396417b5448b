import { isPathInside } from '../text/paths.ts';

/** Only what is named reaches agents and validators: the secrets of the parent do not. */
export function allowlisted(env: NodeJS.ProcessEnv, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
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
  /** Folders that were taken off the PATH. */
  readonly hiddenFolders: readonly string[];
  /** Those of the checkouts that no program of a run may come from. */
  readonly checkouts: readonly string[];
}

/**
 * The environment without what leads into the user's checkouts: `npx` and an active virtual environment put folders of
 * a checkout on the PATH, and their programs would run its code instead of the run's. A home folder inside a repository,
 * as people have who version their settings, holds the user's own programs, so nothing is taken away there.
 */
export function withoutCheckouts(
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
    // An empty PATH is not the same as none, for which the system has a default.
    return places.length === 0 && name !== 'PATH' ? [] : [[name, places.join(':')] as const];
  });
  const hiddenFolders = (env.PATH ?? '').split(':').filter(isOfCheckout);
  return { env: Object.fromEntries(kept), hiddenFolders, checkouts };
}
