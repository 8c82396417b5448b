import { join } from 'node:path';
import { createGit, type Git, type GitPlace } from './git-command.ts';
import { stampOf } from './index-memory.ts';

/** Commands that look at no file of a worktree; even writing a tree looks at some. */
const FILELESS_COMMANDS = new Set([
  'cat-file',
  'commit-tree',
  'for-each-ref',
  'ls-tree',
  'rev-list',
  'rev-parse',
  'show-ref',
  'symbolic-ref',
  'update-ref',
]);

const OFF = { clean: '', smudge: '', process: '', required: 'false' };

/**
 * The environment in which git runs none of the filters that a configuration names. They are programs: an agent could
 * have configured one of its own, and one that is missing would stop every checkout. Files then are what git stores,
 * such as the pointers of LFS.
 */
export async function withoutFilters(git: Git): Promise<Readonly<Record<string, string>>> {
  return (await readFilters(git)).env;
}

interface Filters {
  readonly env: Readonly<Record<string, string>>;
  /** The configuration takes in files that it may name and that need not exist yet. */
  readonly includes: boolean;
}

async function readFilters(git: Git): Promise<Filters> {
  const argv = ['config', '--null', '--name-only', '--get-regexp', String.raw`^(filter|include|includeif)\.`];
  const keys = (await git(argv, { answers: [1] })).stdout.toString('utf8').split('\0');
  const names = keys.flatMap((key) => /^filter\.(.+)\.[^.]+$/s.exec(key)?.[1] ?? []);
  const settings = [...new Set(names)].flatMap((name) =>
    Object.entries(OFF).map(([key, value]) => [`filter.${name}.${key}`, value] as const),
  );
  const pairs = settings.flatMap(([key, value], at) => [
    [`GIT_CONFIG_KEY_${at}`, key],
    [`GIT_CONFIG_VALUE_${at}`, value],
  ]);
  return {
    includes: keys.some((key) => key.startsWith('include')),
    env:
      settings.length === 0
        ? {}
        : { GIT_CONFIG_COUNT: String(settings.length), ...Object.fromEntries(pairs) },
  };
}

const knownByFiles = new Map<string, { readonly stamp: string; readonly env: Filters['env'] }>();

/** Asks only again when one of the files was written, or when nobody can say which files there are. */
async function filtersOf(git: Git, repositoryFiles: readonly string[]): Promise<Filters['env']> {
  const home = process.env.HOME ?? '';
  const personal = process.env.XDG_CONFIG_HOME ?? join(home, '.config');
  const files = [
    ...repositoryFiles,
    join(home, '.gitconfig'),
    join(personal, 'git/config'),
    '/etc/gitconfig',
  ];
  const stamp = (await Promise.all(files.map(stampOf))).join('\n');
  const key = files.join('\0');
  const known = knownByFiles.get(key);
  if (known?.stamp === stamp) return known.env;
  const { env, includes } = await readFilters(git);
  if (!includes) knownByFiles.set(key, { stamp, env });
  return env;
}

/** Git at a place, where no filter ever runs; their names are asked for when a command could run one. */
export function createGitWithoutFilters(place: GitPlace, repositoryFiles: readonly string[]): Git {
  const plain = createGit(place);
  let once: Promise<Git> | undefined;
  const quiet = (): Promise<Git> => {
    once ??= filtersOf(plain, repositoryFiles).then((env) =>
      createGit({ ...place, env: { ...place.env, ...env } }),
    );
    return once;
  };
  return async (argv, call) => {
    const git = FILELESS_COMMANDS.has(argv[0] ?? '') ? plain : await quiet();
    return git(argv, call);
  };
}
