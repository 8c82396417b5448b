import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256Hex } from '../../../node/sha256.ts';
import type { FileInPlace, NewFile, Snapshot } from '../../../ports/workspace/workspace.ts';
import { writeTree } from '../git/commits.ts';
import { type Git, GitError, printedValue } from '../git/git-command.ts';
import type { RunRepository } from '../repository/run-repository.ts';
import { writeCommit } from '../repository/store-objects.ts';
import { writeStoreRef } from '../repository/store-refs.ts';
import { ownTree } from './own-objects.ts';
import { withScratch } from './scratch.ts';
import { readCommit, snapshotRef, snapshotSubject } from './snapshots.ts';

const FOLDER = '040000';
const REFUSALS: Readonly<Record<string, readonly [asParent: string, asTarget: string]>> = {
  '120000': ['it goes through a link', 'it is a link'],
  '160000': ['it goes into a repository of its own', 'it is a repository of its own'],
  '100644': ['it goes through a file', ''],
  '100755': ['it goes through a file', ''],
};
/** Paths are taken literally, whatever characters they contain. */
const LITERAL = { env: { GIT_LITERAL_PATHSPECS: '1' } };

interface TreeEntry {
  readonly mode: string;
  readonly blob: string;
}

/** Looks up a path in a tree. Only ignore rules and attributes come from the checkout. */
export async function inspectFile(
  repository: RunRepository,
  tree: string,
  file: NewFile,
): Promise<FileInPlace> {
  const { git } = repository;
  const found = await resolveEntry(git, tree, file.path);
  if (typeof found === 'string') return { kind: 'refused', why: found };
  if (found === null && (await isIgnored(git, file.path)))
    return { kind: 'refused', why: 'git ignores it, so no commit would contain it' };
  if (!(await isStoredUnchanged(git, file)))
    return { kind: 'refused', why: '.gitattributes makes git store other bytes for it' };
  if (found === null) return { kind: 'absent' };
  const content = (await git(['cat-file', 'blob', found.blob])).stdout;
  return { kind: 'file', sha256: sha256Hex(content), bytes: content.length };
}

/** Returns the entry at a path, null if there is none, or the reason why no file can be written there. */
async function resolveEntry(git: Git, tree: string, path: string): Promise<TreeEntry | string | null> {
  const parts = path.split('/');
  for (let length = 1; length <= parts.length; length += 1) {
    const entry = await entryAt(git, tree, parts.slice(0, length).join('/'));
    if (entry === null) return null;
    const last = length === parts.length;
    if (entry.mode === FOLDER && !last) continue;
    if (entry.mode === FOLDER) return 'it is a folder';
    const [asParent, asTarget] = REFUSALS[entry.mode] ?? ['', ''];
    if (!last) return asParent;
    return asTarget === '' ? entry : asTarget;
  }
  return null;
}

async function entryAt(git: Git, tree: string, path: string): Promise<TreeEntry | null> {
  const listed = await git(['ls-tree', '-z', '--full-tree', tree, '--', path], LITERAL);
  const [, mode, blob] = /^(\d{6}) \w+ ([0-9a-f]+)\t/.exec(listed.stdout.toString('latin1')) ?? [];
  return mode === undefined || blob === undefined ? null : { mode, blob };
}

/** Also true for a path behind a link of the checkout, which git refuses to check. */
async function isIgnored(git: Git, path: string): Promise<boolean> {
  // `check-ignore` has no literal pathspecs, but a path that starts with a dot is taken literally.
  const argv = ['check-ignore', '-q', '--no-index', '--', `./${path}`];
  return (await git(argv, { answers: [1, 128] })).exitCode !== 1;
}

async function isStoredUnchanged(git: Git, { path, source }: NewFile): Promise<boolean> {
  const stored = printedValue(await git(['hash-object', `--path=${path}`, '--', source]));
  return stored === printedValue(await git(['hash-object', '--no-filters', '--', source]));
}

/** Creates a snapshot from another one with some files replaced. The checkout does not change until a restore. */
export async function overlaySnapshot(
  repository: RunRepository,
  base: string,
  name: string,
  files: readonly NewFile[],
): Promise<Snapshot> {
  const { git, workspace } = repository;
  const { tree: baseTree, message, ...overlaid } = await readCommit(git, base);
  // A snapshot of unchanged files is the base commit itself.
  const isBase = base === workspace.baseSha;
  const parents = isBase ? [base] : overlaid.parents;
  const entries = new Map<string, TreeEntry>();
  for (const file of files) {
    const found = await resolveEntry(git, baseTree, file.path);
    if (typeof found === 'string') throw new GitError([], null, `${file.path} can't be written: ${found}`);
    entries.set(file.path, { mode: found?.mode ?? '100644', blob: await storeFile(git, file) });
  }
  const lines = [...entries].map(([path, { mode, blob }]) => `${mode} ${blob}\t${path}\0`).join('');
  const tree = await withScratch(repository, async (scratch) => {
    const env = { GIT_INDEX_FILE: join(scratch, 'index') };
    await git(['read-tree', baseTree], { env });
    await git(['update-index', '-z', '--index-info'], { env, stdin: Buffer.from(lines) });
    return writeTree(git, env);
  });
  // Git silently drops names that it would never check out.
  for (const [path, { blob }] of entries)
    if ((await entryAt(git, tree, path))?.blob !== blob)
      throw new GitError([], null, `git refuses to have a file at ${path}`);
  await ownTree(repository, tree);
  const body = isBase ? `\n\nHead: ${base}\n` : message.slice(message.indexOf('\n\n'));
  const text = `${snapshotSubject(workspace.runId, name)}${body}`;
  const commit = await writeCommit(repository, { tree, parents, message: text });
  await writeStoreRef(repository.storeDir, snapshotRef(name), commit);
  return { commit, tree };
}

/** Reads the file once, so that the bytes that were compared are those that are stored. */
async function storeFile(git: Git, { path, source, sha256 }: NewFile): Promise<string> {
  const content = await readFile(source);
  if (sha256Hex(content) !== sha256)
    throw new GitError([], null, `the bytes for ${path} are not those that were shown`);
  return printedValue(await git(['hash-object', '-w', '--no-filters', '--stdin'], { stdin: content }));
}
