import { copyFile, mkdtemp, readlink, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Git, GitError, printedValue } from './git-command.ts';
import { type FoundFile, type FoundIgnored, findIgnored, pathInside } from './ignored-files.ts';
import type { RunWorktree } from './run-worktree.ts';

/** What git ignores, as objects of its own. Paths are relative, in latin1. */
export interface KeptIgnored {
  /** Holds the files; null when nothing is ignored. */
  readonly commit: string | null;
  readonly files: ReadonlyMap<string, { readonly mode: string; readonly blob: string }>;
  readonly leftOut: readonly string[];
}

const NOTHING_IGNORED: KeptIgnored = { commit: null, files: new Map(), leftOut: [] };

interface Memory {
  readonly blobsByStamp: Map<string, string>;
  readonly last: { readonly key: string; readonly commit: string } | null;
}

/** What this process has stored of each worktree, so that files that nobody wrote are not read again. */
const memoryByWorktree = new Map<string, Memory>();

/** The next time every file is stored again. */
export function forgetIgnored({ adminDir }: RunWorktree): void {
  memoryByWorktree.delete(adminDir);
}

/** Stores the files that git ignores, as far as they are not too large; none of them is in the tree of a snapshot. */
export async function keepIgnored(worktree: RunWorktree, ignored: readonly string[]): Promise<KeptIgnored> {
  if (ignored.length === 0) return NOTHING_IGNORED;
  const found = await findIgnored(worktree, ignored);
  try {
    return await store(worktree, found);
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    // Something still writes there. A snapshot of what counts must not fail for what does not.
    return store(worktree, { files: [], leftOut: ignored });
  }
}

async function store(worktree: RunWorktree, { files, leftOut }: FoundIgnored): Promise<KeptIgnored> {
  const memory = memoryByWorktree.get(worktree.adminDir);
  const blobsByStamp = await storeBlobs(worktree, files, memory?.blobsByStamp ?? new Map());
  const kept = files.map(({ path, mode, stamp }) => ({ path, mode, blob: blobsByStamp.get(stamp) ?? '' }));
  const key = JSON.stringify([kept, leftOut]);
  const commit = memory?.last?.key === key ? memory.last.commit : await storeCommit(worktree, kept, leftOut);
  memoryByWorktree.set(worktree.adminDir, { blobsByStamp, last: { key, commit } });
  return { commit, leftOut, files: new Map(kept.map(({ path, mode, blob }) => [path, { mode, blob }])) };
}

/** Bytes go in as they are: attributes that convert line endings are not for files that git does not track. */
async function storeBlobs(
  worktree: RunWorktree,
  files: readonly FoundFile[],
  known: ReadonlyMap<string, string>,
): Promise<Map<string, string>> {
  const blobs = new Map<string, string>();
  const fresh = files.filter(({ stamp }) => {
    const blob = known.get(stamp);
    if (blob !== undefined) blobs.set(stamp, blob);
    return blob === undefined;
  });
  if (fresh.length === 0) return blobs;
  const scratch = await mkdtemp(join(tmpdir(), 'conductor-ignored-'));
  try {
    const lines: Buffer[] = [];
    for (const [at, file] of fresh.entries())
      lines.push(await readablePath(worktree, file, join(scratch, `${at}`)));
    const stdin = Buffer.concat(lines.flatMap((line) => [line, Buffer.from('\n')]));
    const hashed = await worktree.git(['hash-object', '-w', '--no-filters', '--stdin-paths'], { stdin });
    const ids = printedValue(hashed).split('\n');
    for (const [at, { stamp }] of fresh.entries()) blobs.set(stamp, ids[at] ?? '');
    return blobs;
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** Git reads one path a line and follows links, so a name with a line feed and a link go by way of a copy. */
async function readablePath(worktree: RunWorktree, file: FoundFile, copy: string): Promise<Buffer> {
  const path = pathInside(worktree, file.path);
  if (file.mode === '120000') await writeFile(copy, await readlink(path, { encoding: 'buffer' }));
  else if (file.path.includes('\n')) await copyFile(path, copy);
  else return path;
  return Buffer.from(copy);
}

async function storeCommit(
  worktree: RunWorktree,
  kept: readonly { readonly path: string; readonly mode: string; readonly blob: string }[],
  leftOut: readonly string[],
): Promise<string> {
  const scratch = await mkdtemp(join(tmpdir(), 'conductor-ignored-'));
  const env = { GIT_INDEX_FILE: join(scratch, 'index') };
  const git: Git = (argv, call) => worktree.git(argv, { ...call, env });
  try {
    const records = kept.map(({ path, mode, blob }) => `${mode} ${blob}\t${path}\0`).join('');
    await git(['update-index', '-z', '--index-info'], { stdin: Buffer.from(records, 'latin1') });
    const tree = printedValue(await git(['write-tree']));
    const message = `conductor: ignored files of ${worktree.workspace.runId}\n\n${JSON.stringify({ leftOut })}\n`;
    return printedValue(await git(['commit-tree', tree, '-F', '-'], { stdin: message }));
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** What a snapshot or a salvage says it kept of them. */
export async function readKeptIgnored(git: Git, commit: string | null): Promise<KeptIgnored> {
  if (commit === null) return NOTHING_IGNORED;
  const listed = (await git(['ls-tree', '-r', '-z', commit])).stdout.toString('latin1');
  const files = [...listed.matchAll(/(\d{6}) blob ([0-9a-f]+)\t([^\0]+)\0/g)].map(
    ([, mode = '', blob = '', path = '']) => [path, { mode, blob }] as const,
  );
  const text = (await git(['cat-file', 'commit', commit])).stdout.toString('utf8');
  const body = text.slice(text.indexOf('\n\n') + 2).split('\n\n')[1] ?? '';
  const { leftOut } = JSON.parse(body) as { leftOut: string[] };
  return { commit, files: new Map(files), leftOut };
}
