import { createHash } from 'node:crypto';
import { access, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { deflate } from 'node:zlib';
import type { RunRepository } from './run-repository.ts';
import { writeDurably } from './store-refs.ts';

/**
 * Objects of a store. Conductor writes commits and ignored files itself: git would need several processes for every
 * snapshot, and would skip objects that the user's repository has now but may prune later.
 */
type ObjectKind = 'blob' | 'tree' | 'commit';

const compress = promisify(deflate);
const FORMAT_BY_LENGTH: Readonly<Record<number, string>> = { 40: 'sha1', 64: 'sha256' };

/** Writes an object durably, unless the store has it as a loose object, and returns its id. */
export async function writeObject(
  { storeDir, workspace }: Pick<RunRepository, 'storeDir' | 'workspace'>,
  kind: ObjectKind,
  content: Buffer,
): Promise<string> {
  const object = Buffer.concat([Buffer.from(`${kind} ${content.length}\0`), content]);
  const format = FORMAT_BY_LENGTH[workspace.baseSha.length] ?? 'sha1';
  const id = createHash(format).update(object).digest('hex');
  if (await hasObject(storeDir, id)) return id;
  const path = objectPath(storeDir, id);
  await mkdir(dirname(path), { recursive: true });
  await writeDurably(storeDir, path, await compress(object));
  return id;
}

/** Whether the store has an object as a loose object, not in a pack and not borrowed. */
export async function hasObject(storeDir: string, id: string): Promise<boolean> {
  return access(objectPath(storeDir, id)).then(
    () => true,
    () => false,
  );
}

function objectPath(storeDir: string, id: string): string {
  return join(storeDir, 'objects', id.slice(0, 2), id.slice(2));
}

export interface StoreCommit {
  readonly tree: string;
  readonly parents: readonly string[];
  readonly message: string;
  /** If true, the commit has no date, so that the same content gives the same commit. */
  readonly undated?: boolean;
}

export async function writeCommit(
  repository: RunRepository,
  { tree, parents, message, undated = false }: StoreCommit,
): Promise<string> {
  const seconds = undated ? 0 : Math.floor(Date.now() / 1000);
  const stamp = `conductor <conductor@localhost> ${seconds} +0000`;
  const headers = [
    `tree ${tree}`,
    ...[...new Set(parents)].map((parent) => `parent ${parent}`),
    `author ${stamp}`,
    `committer ${stamp}`,
  ];
  return writeObject(repository, 'commit', Buffer.from(`${headers.join('\n')}\n\n${message}`));
}

export interface TreeFile {
  /** Relative, in latin1 so that no byte is lost. */
  readonly path: string;
  readonly mode: string;
  readonly blob: string;
}

/** Writes the trees that contain the given files and returns the id of the top one. */
export async function writeFileTree(repository: RunRepository, files: readonly TreeFile[]): Promise<string> {
  const entries = new Map<string, { readonly mode: string; readonly id: string }>();
  const folders = new Map<string, TreeFile[]>();
  for (const { path, mode, blob } of files) {
    const slash = path.indexOf('/');
    if (slash < 0) entries.set(path, { mode, id: blob });
    else {
      const [name, rest] = [path.slice(0, slash), path.slice(slash + 1)];
      const below = folders.get(name) ?? [];
      below.push({ path: rest, mode, blob });
      folders.set(name, below);
    }
  }
  for (const [name, below] of folders)
    entries.set(name, { mode: '40000', id: await writeFileTree(repository, below) });
  // Git sorts a folder as if its name ended in a slash.
  const keyOf = (name: string) => (folders.has(name) ? `${name}/` : name);
  const sorted = [...entries].sort(([one], [other]) => (keyOf(one) < keyOf(other) ? -1 : 1));
  const content = sorted.flatMap(([name, { mode, id }]) => [
    Buffer.from(`${mode} ${name}\0`, 'latin1'),
    Buffer.from(id, 'hex'),
  ]);
  return writeObject(repository, 'tree', Buffer.concat(content));
}
