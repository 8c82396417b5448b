import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FileInPlace, NewFile, Snapshot } from '../../ports/workspace.ts';
import { type Git, GitError, printedValue } from './git-command.ts';
import { moveOwnRef } from './own-ref.ts';
import type { RunWorktree } from './run-worktree.ts';
import { commitTree, snapshotSubject } from './snapshots.ts';
import { withScratch } from './worktree-tree.ts';

const FOLDER = '040000';
const REFUSALS: Readonly<Record<string, readonly [onTheWay: string, atTheEnd: string]>> = {
  '120000': ['it goes through a link', 'it is a link'],
  '160000': ['it goes into a repository of its own', 'it is a repository of its own'],
  '100644': ['it goes through a file', ''],
  '100755': ['it goes through a file', ''],
};
/** Names are names here, whatever characters they hold. */
const LITERAL = { env: { GIT_LITERAL_PATHSPECS: '1' } };

interface TreeEntry {
  readonly mode: string;
  readonly blob: string;
}

/** What a tree has at a path; the worktree is asked only about what no tree can tell. */
export async function lookAtFile(worktree: RunWorktree, tree: string, file: NewFile): Promise<FileInPlace> {
  const { git } = worktree;
  const found = await walkTo(git, tree, file.path);
  if (typeof found === 'string') return { kind: 'refused', why: found };
  if (found === null && (await isIgnored(git, file.path)))
    return { kind: 'refused', why: 'git ignores it, so that it would be in no commit' };
  if (!(await isStoredAsItIs(git, file)))
    return { kind: 'refused', why: 'git would store other bytes for it, as .gitattributes says' };
  if (found === null) return { kind: 'absent' };
  const content = (await git(['cat-file', 'blob', found.blob])).stdout;
  return { kind: 'file', sha256: digestOf(content), bytes: content.length };
}

/** The entry, null where there is none, or why nothing can be put there. */
async function walkTo(git: Git, tree: string, path: string): Promise<TreeEntry | string | null> {
  const parts = path.split('/');
  for (let length = 1; length <= parts.length; length += 1) {
    const entry = await entryAt(git, tree, parts.slice(0, length).join('/'));
    if (entry === null) return null;
    const last = length === parts.length;
    if (entry.mode === FOLDER && !last) continue;
    if (entry.mode === FOLDER) return 'it is a folder';
    const [onTheWay, atTheEnd] = REFUSALS[entry.mode] ?? ['', ''];
    if (!last) return onTheWay;
    return atTheEnd === '' ? entry : atTheEnd;
  }
  return null;
}

async function entryAt(git: Git, tree: string, path: string): Promise<TreeEntry | null> {
  const listed = await git(['ls-tree', '-z', '--full-tree', tree, '--', path], LITERAL);
  const [, mode, blob] = /^(\d{6}) \w+ ([0-9a-f]+)\t/.exec(listed.stdout.toString('latin1')) ?? [];
  return mode === undefined || blob === undefined ? null : { mode, blob };
}

/** Also true for what lies beyond a link of the worktree, which git refuses to answer. */
async function isIgnored(git: Git, path: string): Promise<boolean> {
  // Here a name can't be declared literal; with a dot in front it is one.
  const argv = ['check-ignore', '-q', '--no-index', '--', `./${path}`];
  return (await git(argv, { answers: [1, 128] })).exitCode !== 1;
}

async function isStoredAsItIs(git: Git, { path, source }: NewFile): Promise<boolean> {
  const stored = printedValue(await git(['hash-object', `--path=${path}`, '--', source]));
  return stored === printedValue(await git(['hash-object', '--no-filters', '--', source]));
}

/**
 * The files of a snapshot, some of them replaced, as a snapshot of its own. Neither the worktree nor its index is
 * touched: a restore brings it there.
 */
export async function overlaySnapshot(
  worktree: RunWorktree,
  base: string,
  name: string,
  files: readonly NewFile[],
): Promise<Snapshot> {
  const { git, workspace } = worktree;
  const text = (await git(['cat-file', 'commit', base])).stdout.toString('utf8');
  const baseTree = /^tree ([0-9a-f]+)$/m.exec(text)?.[1];
  if (baseTree === undefined) throw new GitError([], null, `${base} is not a snapshot`);
  const entries = new Map<string, TreeEntry>();
  for (const file of files) {
    const found = await walkTo(git, baseTree, file.path);
    if (typeof found === 'string') throw new GitError([], null, `${file.path} can't be written: ${found}`);
    entries.set(file.path, { mode: found?.mode ?? '100644', blob: await storeFile(git, file) });
  }
  const lines = [...entries].map(([path, { mode, blob }]) => `${mode} ${blob}\t${path}\0`).join('');
  const tree = await withScratch(worktree, async (scratch) => {
    const env = { GIT_INDEX_FILE: join(scratch, 'index') };
    await git(['read-tree', baseTree], { env });
    await git(['update-index', '-z', '--index-info'], { env, stdin: Buffer.from(lines) });
    return printedValue(await git(['write-tree'], { env }));
  });
  // Git passes over names that it would never check out, and says nothing of it.
  for (const [path, { blob }] of entries)
    if ((await entryAt(git, tree, path))?.blob !== blob)
      throw new GitError([], null, `git refuses to have a file at ${path}`);
  const [header = '', ...message] = text.split('\n\n');
  const parents = [...header.matchAll(/^parent ([0-9a-f]+)$/gm)].map(([, parent = '']) => parent);
  const trailer = /^Ignored: [0-9a-f]+$/m.exec(message.join('\n\n'))?.[0];
  const subject = `${snapshotSubject(workspace.runId)} ${name}`;
  const full = trailer === undefined ? subject : `${subject}\n\n${trailer}\n`;
  const commit = await commitTree(git, tree, parents, full);
  await moveOwnRef(git, `refs/conductor/${workspace.runId}/${name}`, commit);
  return { commit, tree };
}

/** Read once, so that what was compared is what is stored. */
async function storeFile(git: Git, { path, source, sha256 }: NewFile): Promise<string> {
  const content = await readFile(source);
  if (digestOf(content) !== sha256)
    throw new GitError([], null, `the bytes for ${path} are not those that were shown`);
  return printedValue(await git(['hash-object', '-w', '--no-filters', '--stdin'], { stdin: content }));
}

function digestOf(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}
