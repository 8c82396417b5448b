import { kindOf } from '../git/file-kind.ts';
import type { Git } from '../git/git-command.ts';
import { isPartialStore } from '../repository/layout.ts';
import { clearPlace, pathBelow } from './paths.ts';
import { withUnlocked } from './unlock.ts';

interface Place {
  readonly git: Git;
  /** The folder that the files go to, absolute. */
  readonly root: string;
  readonly storeDir: string;
}

/** A file whose content is missing in a partial clone. Paths are in latin1, so that no byte is lost. */
interface MissingFile {
  readonly mode: string;
  readonly blob: string;
  readonly path: string;
}

/**
 * Sets the tracked files below a folder to those of a tree. Files of a partial clone that the user has never fetched
 * are skipped; the index marks them as not checked out, so that they don't count as deleted.
 */
export async function checkOutTree({ git, root, storeDir }: Place, tree: string): Promise<void> {
  if (await isPartialStore(storeDir)) await hideMissing(git, root, tree);
  await withUnlocked(root, () => git(['read-tree', '--reset', '-u', tree]));
}

/** Marks those files of a tree as not checked out that are missing in the folder and whose content is missing, too. */
export async function markMissing({ git, root, storeDir }: Place, tree: string): Promise<void> {
  if (!(await isPartialStore(storeDir))) return;
  const absent: MissingFile[] = [];
  for (const file of await findMissing(git, tree))
    if ((await kindOf(pathBelow(root, file.path))) === 'missing') absent.push(file);
  await markSkipped(git, absent);
}

/** Marks missing files as not checked out before `read-tree` runs, which would otherwise try to write them. */
async function hideMissing(git: Git, root: string, tree: string): Promise<void> {
  const missing = await findMissing(git, tree);
  if (missing.length === 0) return;
  for (const { path } of missing) await clearPlace(root, path);
  const records = missing.map(({ mode, blob, path }) => `${mode} ${blob} 0\t${path}\0`).join('');
  await git(['update-index', '-z', '--replace', '--index-info'], { stdin: Buffer.from(records, 'latin1') });
  await markSkipped(git, missing);
}

async function markSkipped(git: Git, files: readonly MissingFile[]): Promise<void> {
  if (files.length === 0) return;
  const stdin = Buffer.from(files.map(({ path }) => `${path}\0`).join(''), 'latin1');
  await git(['update-index', '-z', '--skip-worktree', '--stdin'], { stdin });
}

/** Files of a tree whose content is in no object folder. */
export async function findMissing(git: Git, tree: string): Promise<readonly MissingFile[]> {
  const listed = (await git(['ls-tree', '-r', '-z', '--full-tree', tree])).stdout.toString('latin1');
  const files = [...listed.matchAll(/(\d{6}) blob ([0-9a-f]+)\t([^\0]+)\0/g)].map(
    ([, mode = '', blob = '', path = '']) => ({ mode, blob, path }),
  );
  const stdin = files.map(({ blob }) => `${blob}\n`).join('');
  const answers = (await git(['cat-file', '--batch-check=%(objectname)'], { stdin })).stdout.toString('utf8');
  const lines = answers.split('\n');
  return files.filter((_, at) => lines[at]?.endsWith(' missing') === true);
}
