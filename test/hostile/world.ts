import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gitAt } from '../../testing/git-repo.ts';
import type { Scene } from '../e2e/scene.ts';

/** Everything of the user that an agent without a sandbox could reach, by a name that says where it is. */
export type World = ReadonlyMap<string, string>;

/** Folders beside the repository. */
function placesOf({ repo, home }: Scene) {
  const top = join(repo.root, '..');
  return { root: repo.root, home, outside: join(top, 'outside'), remote: join(top, 'outside', 'remote.git') };
}

export async function readWorld(scene: Scene): Promise<World> {
  const { root, home, outside, remote } = placesOf(scene);
  const world = new Map<string, string>();
  readFolder(world, 'file', root, ['.git', '.tnh/run', '.tnh/.gitignore']);
  readFolder(world, 'outside', outside, ['remote.git']);
  readFolder(world, 'home', home, ['.local/state/conductor']);
  for (const part of ['hooks', 'info']) readFolder(world, `git ${part}`, join(root, '.git', part), []);
  world.set('git config', readFileSync(join(root, '.git', 'config'), 'utf8'));
  for (const [name, value] of await refsOf(root)) {
    if (name.startsWith('refs/conductor/') || name.startsWith('refs/heads/conductor/run/')) continue;
    world.set(`ref ${name}`, value);
  }
  for (const [name, value] of await refsOf(remote)) world.set(`remote ${name}`, value);
  world.set('stash', await gitAt(root, 'stash', 'list', '--format=%H'));
  return world;
}

/** The names of everything that differs. */
export function differences(before: World, after: World): string[] {
  return [...new Set([...before.keys(), ...after.keys()])]
    .filter((key) => before.get(key) !== after.get(key))
    .sort();
}

/** Restores everything, as its owner would. */
export async function restoreWorld(scene: Scene, before: World, keys: readonly string[]): Promise<void> {
  const { root, home, outside, remote } = placesOf(scene);
  const folders: Readonly<Record<string, string>> = { file: root, home, outside };
  for (const key of keys) {
    const at = key.indexOf(' ');
    const [kind, name] = [key.slice(0, at), key.slice(at + 1)];
    const old = before.get(key);
    const folder = folders[kind];
    if (folder !== undefined) putFile(join(folder, name), old);
    else if (kind === 'git') putFile(join(root, '.git', name.replace(' ', '/')), old);
    else if (kind === 'ref' || kind === 'remote') await putRef(kind === 'ref' ? root : remote, name, old);
  }
  if (keys.includes('stash')) await restoreStash(root, before);
}

async function restoreStash(root: string, before: World): Promise<void> {
  await gitAt(root, 'stash', 'clear');
  for (const commit of (before.get('stash') ?? '').trim().split('\n').reverse()) {
    const subject = (await gitAt(root, 'show', '-s', '--format=%s', commit)).trim();
    await gitAt(root, 'stash', 'store', '-m', subject, commit);
  }
}

function putFile(path: string, content: string | undefined): void {
  if (content === undefined) rmSync(path);
  else writeFileSync(path, Buffer.from(content, 'latin1'));
}

async function putRef(repository: string, name: string, value: string | undefined): Promise<void> {
  if (name.endsWith('/HEAD')) return;
  await gitAt(
    repository,
    'update-ref',
    '--no-deref',
    ...(value === undefined ? ['-d', name] : [name, value]),
  );
}

function readFolder(
  world: Map<string, string>,
  label: string,
  folder: string,
  except: readonly string[],
): void {
  if (!existsSync(folder)) return;
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const name = join(entry.parentPath, entry.name).slice(folder.length + 1);
    if (!entry.isFile() || except.some((path) => name === path || name.startsWith(`${path}/`))) continue;
    world.set(`${label} ${name}`, readFileSync(join(folder, name), 'latin1'));
  }
}

async function refsOf(repository: string): Promise<[string, string][]> {
  const listed = await gitAt(repository, 'for-each-ref', '--format=%(refname) %(objectname)');
  const lines = listed.split('\n').filter((line) => line !== '');
  return lines.map((line) => line.split(' ') as [string, string]);
}
