import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Git } from '../git/git-command.ts';

/** The part of the user's git configuration that a workspace takes over, by full key in lower case. */
export interface UserSettings {
  /** Written into both checkouts and the store: identity, line endings, LFS. */
  readonly shared: ReadonlyMap<string, string>;
  readonly identity: { readonly name: string; readonly email: string };
  readonly objectFormat: 'sha1' | 'sha256';
  /** Objects of a partial clone may be missing. */
  readonly isPartial: boolean;
  /** Files with the user's own ignore rules and attributes; they may not exist. */
  readonly ignoreFile: string;
  readonly attributesFile: string;
  /** The folder of the user's LFS files; null for the default location. */
  readonly lfsStorage: string | null;
}

const SHARED_KEYS =
  /^(?:(?:user|author|committer)\.(?:name|email)|core\.(?:autocrlf|eol|safecrlf|symlinks|precomposeunicode)|filter\.lfs\.(?:clean|smudge|process|required))$/;
const PROMISOR = /^(?:extensions\.partialclone|remote\..+\.promisor)$/s;

/** Used if the user has not configured an identity. */
const NO_IDENTITY = { name: 'conductor', email: 'conductor@localhost' };

const LFS_SETTINGS: readonly (readonly [string, string])[] = [
  // git-lfs finds nothing at this URL, so an object that the user has not downloaded stays a pointer.
  ['lfs.url', 'file:///dev/null'],
  // Otherwise git-lfs writes this setting into the configuration, which would count as a change by the agent.
  ['lfs.repositoryformatversion', '0'],
];

export async function readUserSettings(
  git: Git,
  place: { readonly repoRoot: string; readonly gitDir: string },
) {
  const { stdout } = await git(['config', '--null', '--list']);
  return parseUserSettings(stdout.toString('utf8'), place);
}

/** Reads what `git config --null --list` prints. The last value of a key counts. */
export function parseUserSettings(
  listed: string,
  { repoRoot, gitDir }: { readonly repoRoot: string; readonly gitDir: string },
  env: Readonly<Record<string, string | undefined>> = process.env,
): UserSettings {
  const byKey = new Map<string, string>();
  for (const entry of listed.split('\0')) {
    const at = entry.indexOf('\n');
    if (entry === '') continue;
    // A key without a value means true.
    byKey.set(lowerCaseKey(at < 0 ? entry : entry.slice(0, at)), at < 0 ? 'true' : entry.slice(at + 1));
  }
  const pathOf = (key: string) => {
    const value = byKey.get(key);
    return value === undefined || value === '' ? null : value.replace(/^~(?=\/)/, homedir());
  };
  const shared = new Map([...byKey].filter(([key]) => SHARED_KEYS.test(key)));
  const storage = pathOf('lfs.storage');
  const lfsStorage = storage === null ? null : resolve(gitDir, storage);
  if ([...shared.keys()].some((key) => key.startsWith('filter.lfs.'))) {
    for (const [key, value] of LFS_SETTINGS) shared.set(key, value);
    if (lfsStorage !== null) shared.set('lfs.storage', lfsStorage);
  }
  return {
    shared,
    identity: {
      name:
        firstSet(env.GIT_AUTHOR_NAME, byKey.get('author.name'), byKey.get('user.name')) ?? NO_IDENTITY.name,
      email:
        firstSet(env.GIT_AUTHOR_EMAIL, byKey.get('author.email'), byKey.get('user.email')) ??
        NO_IDENTITY.email,
    },
    objectFormat: byKey.get('extensions.objectformat') === 'sha256' ? 'sha256' : 'sha1',
    isPartial: [...byKey].some(([key, value]) => PROMISOR.test(key) && value !== 'false'),
    ignoreFile: resolve(repoRoot, pathOf('core.excludesfile') ?? inConfigHome('ignore')),
    attributesFile: resolve(repoRoot, pathOf('core.attributesfile') ?? inConfigHome('attributes')),
    lfsStorage,
  };
}

function firstSet(...values: readonly (string | undefined)[]): string | undefined {
  return values.find((value) => value !== undefined && value !== '');
}

/** Where git looks if the configuration names no file. */
function inConfigHome(name: string): string {
  const { XDG_CONFIG_HOME } = process.env;
  const home =
    XDG_CONFIG_HOME === undefined || XDG_CONFIG_HOME === '' ? join(homedir(), '.config') : XDG_CONFIG_HOME;
  return join(home, 'git', name);
}

/** Section and name of a key are case-insensitive, a subsection between them is not. */
function lowerCaseKey(key: string): string {
  const [first, last] = [key.indexOf('.'), key.lastIndexOf('.')];
  return `${key.slice(0, first).toLowerCase()}${key.slice(first, last)}${key.slice(last).toLowerCase()}`;
}

/** The text of a configuration file. */
export function renderSettings(settings: ReadonlyMap<string, string>): string {
  return [...settings]
    .map(([key, value]) => {
      const parts = key.split('.');
      const [section = '', name = ''] = [parts[0], parts.at(-1)];
      const subsection = parts.slice(1, -1).join('.');
      const header = subsection === '' ? `[${section}]` : `[${section} ${quoteValue(subsection)}]`;
      return `${header}\n\t${name} = ${quoteValue(value)}\n`;
    })
    .join('');
}

function quoteValue(value: string): string {
  const escaped = value
    .replaceAll('\\', '\\\\')
    .replaceAll('"', '\\"')
    .replaceAll('\n', '\\n')
    .replaceAll('\t', '\\t');
  return `"${escaped}"`;
}
