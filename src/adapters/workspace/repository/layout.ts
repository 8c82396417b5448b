import { chmod, copyFile, lstat, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { copyFileIfPresent, kindOf } from '../git/file-kind.ts';
import { renderSettings, type UserSettings } from './user-settings.ts';

/** The initial content of a run's private repository. */
export interface Layout {
  readonly settings: UserSettings;
  /** Absolute paths of the object folders that it borrows from. */
  readonly objectFolders: readonly string[];
  readonly headRef: string;
  /** Object ids by full ref name. */
  readonly refs: ReadonlyMap<string, string>;
  readonly baseTree: string;
  /** The text of the user's `shallow` file; null for a full clone. */
  readonly shallow: string | null;
  /** The user's own ignore rules and attributes, for this repository (`local`) and for all repositories (`global`). */
  readonly ignore: { readonly local: string; readonly global: string };
  readonly attributes: { readonly local: string; readonly global: string };
  /** Globs of paths that setup owns: git sees none of them. */
  readonly ownedPaths: readonly string[];
}

/**
 * Settings for the git commands that agents and validators run in a checkout: no hooks, no signing, no background work.
 */
const CHECKOUT_SETTINGS: readonly (readonly [string, string])[] = [
  // Not `.git/hooks`: git-lfs would install its own hooks in it.
  ['core.hookspath', '/dev/null'],
  ['core.fsmonitor', 'false'],
  ['commit.gpgsign', 'false'],
  ['tag.gpgsign', 'false'],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
];

/** The store holds the snapshots: every change must be seen, and every object must survive a power cut. */
const STORE_SETTINGS: readonly (readonly [string, string])[] = [
  ['core.untrackedcache', 'false'],
  ['core.splitindex', 'false'],
  ['core.checkstat', 'default'],
  ['core.trustctime', 'true'],
  ['core.fsync', 'committed'],
  ['core.fsyncmethod', 'batch'],
  ['gc.auto', '0'],
];

/** Without this setting, git overlooks a file that was created at a path marked as not checked out. */
const PARTIAL_SETTING: readonly [string, string] = ['core.sparsecheckout', 'true'];

/** The configuration of the checkouts. It is kept in the store, where no agent can change it. */
const CHECKOUT_CONFIG = 'checkout-config';
const OWNED_PATHS = 'owned-paths';
const BASE_TREE = 'base-tree';
const PARTIAL = 'partial';
/**
 * Files and folders of a git folder, except refs, that make git run programs or decide what git does and where it
 * looks.
 */
export const CONTROL_FILES = [
  'config',
  'config.worktree',
  'commondir',
  'shallow',
  'hooks',
  'info',
  'objects/info',
] as const;

/** Writes the git folder that holds the snapshots of a run, without starting git. Only conductor writes to it. */
export async function layOutStore(storeDir: string, layout: Layout): Promise<void> {
  const { settings, objectFolders, refs, shallow, ignore, attributes, ownedPaths } = layout;
  const at = (name: string) => join(storeDir, name);
  await makeFolders(storeDir);
  await writeFile(at('objects/info/alternates'), lines(objectFolders.map(quoteLineFeeds)));
  await writeFile(at('info/exclude'), `${ignore.local}\n${lines(ownedPaths.map((path) => `/${path}`))}`);
  await writeFile(at('info/attributes'), attributes.local);
  // Copies: an agent without a sandbox could otherwise hide files from snapshots by a rule in the user's home folder.
  await writeFile(at('global-ignore'), ignore.global);
  await writeFile(at('global-attributes'), attributes.global);
  await writeFile(at('packed-refs'), renderPackedRefs(refs));
  await writeFile(at(OWNED_PATHS), lines(ownedPaths));
  await writeFile(at(BASE_TREE), layout.baseTree);
  if (shallow !== null) await writeFile(at('shallow'), shallow);
  if (settings.isPartial) await writeFile(at(PARTIAL), '');
  const common = [
    ...formatSettings(settings),
    ...(await fileSystemSettings(storeDir)),
    ...(settings.isPartial ? [PARTIAL_SETTING] : []),
    ...settings.shared,
  ];
  const own: readonly (readonly [string, string])[] = [
    ...STORE_SETTINGS,
    ['core.excludesfile', at('global-ignore')],
    ['core.attributesfile', at('global-attributes')],
  ];
  await writeFile(at(CHECKOUT_CONFIG), renderSettings(new Map([...common, ...CHECKOUT_SETTINGS])));
  await writeFile(at('config'), renderSettings(new Map([...common, ...own])));
  // HEAD comes last: without it, git does not recognize the folder as a repository.
  await writeFile(at('HEAD'), `ref: ${layout.headRef}\n`);
}

/** Resets the git folder of a checkout to its state at the start of the run. Only existing objects stay. */
export async function layOutCheckout(storeDir: string, gitDir: string): Promise<void> {
  const names = (await kindOf(gitDir)) === 'folder' ? await readdir(gitDir) : [];
  for (const name of names.filter((each) => each !== 'objects'))
    await rm(join(gitDir, name), { recursive: true, force: true });
  await layOutControlFiles(storeDir, gitDir);
  await copyFile(join(storeDir, 'packed-refs'), join(gitDir, 'packed-refs'));
  await copyFile(join(storeDir, 'HEAD'), join(gitDir, 'HEAD'));
}

/** Resets the control files of a checkout's git folder to their state at the start of the run. Refs stay. */
export async function layOutControlFiles(storeDir: string, gitDir: string): Promise<void> {
  const at = (name: string) => join(gitDir, name);
  for (const folder of [gitDir, at('objects'), at('refs')])
    if ((await kindOf(folder)) !== 'folder') await rm(folder, { force: true });
  for (const path of CONTROL_FILES) await rm(at(path), { recursive: true, force: true });
  await makeFolders(gitDir);
  await copyFile(join(storeDir, CHECKOUT_CONFIG), at('config'));
  for (const name of ['shallow', 'info/exclude', 'info/attributes'])
    await copyFileIfPresent(join(storeDir, name), at(name));
  const borrowed = await readFile(join(storeDir, 'objects/info/alternates'), 'utf8');
  // Lets git read snapshots by their ids in the checkout, too.
  await writeFile(at('objects/info/alternates'), `${borrowed}${join(storeDir, 'objects')}\n`);
}

async function makeFolders(gitDir: string): Promise<void> {
  for (const folder of ['objects/info', 'objects/pack', 'refs/heads', 'refs/tags', 'info'])
    await mkdir(join(gitDir, folder), { recursive: true });
}

/** The globs of paths that setup owns, relative to a checkout. */
export async function readOwnedPaths(storeDir: string): Promise<readonly string[]> {
  const text = await readFile(join(storeDir, OWNED_PATHS), 'utf8').catch(() => '');
  return text.split('\n').filter((line) => line !== '');
}

export async function readBaseTree(storeDir: string): Promise<string> {
  return readFile(join(storeDir, BASE_TREE), 'utf8');
}

export async function isPartialStore(storeDir: string): Promise<boolean> {
  return (await kindOf(join(storeDir, PARTIAL))) !== 'missing';
}

/** Git resolves the escapes of a quoted path. */
function quoteLineFeeds(path: string): string {
  return path.includes('\n') ? JSON.stringify(path) : path;
}

function lines(values: readonly string[]): string {
  return values.map((value) => `${value}\n`).join('');
}

function renderPackedRefs(refs: ReadonlyMap<string, string>): string {
  const sorted = [...refs].sort(([one], [other]) => (one < other ? -1 : 1));
  return `# pack-refs with: sorted \n${lines(sorted.map(([name, id]) => `${id} ${name}`))}`;
}

function formatSettings({ objectFormat }: UserSettings): [string, string][] {
  if (objectFormat === 'sha1') return [['core.repositoryformatversion', '0']];
  return [
    ['core.repositoryformatversion', '1'],
    ['extensions.objectformat', objectFormat],
  ];
}

/** Probes, as `git init` does, whether the file system keeps executable bits and ignores case. */
async function fileSystemSettings(folder: string): Promise<[string, string][]> {
  const probe = join(folder, 'config');
  await writeFile(probe, '');
  await chmod(probe, 0o644);
  const keepsExecutableBits = ((await lstat(probe)).mode & 0o111) === 0;
  const ignoresCase = (await kindOf(join(folder, 'CONFIG'))) !== 'missing';
  return [
    ['core.bare', 'false'],
    ['core.filemode', String(keepsExecutableBits)],
    ['core.ignorecase', String(ignoresCase)],
    ['core.logallrefupdates', 'true'],
  ];
}
