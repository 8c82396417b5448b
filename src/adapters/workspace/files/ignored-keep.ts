import { copyFile, readlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Git, GitError, printedValue } from '../git/git-command.ts';
import { commitTree, writeTree } from '../git/revision.ts';
import type { RunRepository } from '../repository/run-repository.ts';
import { type FoundFile, type FoundIgnored, findIgnored } from './ignored-files.ts';
import { ownObjects, ownTree } from './own-objects.ts';
import { pathInside } from './paths.ts';
import { withScratch } from './scratch.ts';

/** Ignored files as a commit of their own. Paths are relative and in latin1. */
export interface KeptIgnored {
  /** Contains the files; null if nothing is ignored. */
  readonly commit: string | null;
  readonly files: ReadonlyMap<string, { readonly mode: string; readonly blob: string }>;
  readonly leftOut: readonly string[];
}

const NOTHING_IGNORED: KeptIgnored = { commit: null, files: new Map(), leftOut: [] };

interface Memory {
  readonly blobsByStamp: Map<string, string>;
  readonly last: { readonly key: string; readonly commit: string } | null;
}

/** What this process has stored of each checkout, so that unchanged files are not read again. */
const memoryByStore = new Map<string, Memory>();

/** Stores the files that git ignores, as far as they are not too large. They are in no tree of a snapshot. */
export async function keepIgnored(
  repository: RunRepository,
  ignored: readonly string[],
): Promise<KeptIgnored> {
  if (ignored.length === 0) return NOTHING_IGNORED;
  const found = await findIgnored(repository, ignored);
  try {
    return await store(repository, found);
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    // A process still writes there. The snapshot must not fail because of ignored files.
    return store(repository, { files: [], leftOut: ignored });
  }
}

async function store(repository: RunRepository, { files, leftOut }: FoundIgnored): Promise<KeptIgnored> {
  const memory = memoryByStore.get(repository.storeDir);
  const blobsByStamp = await storeBlobs(repository, files, memory?.blobsByStamp ?? new Map());
  const kept = files.map(({ path, mode, stamp }) => ({ path, mode, blob: blobsByStamp.get(stamp) ?? '' }));
  const key = JSON.stringify([kept, leftOut]);
  const commit =
    memory?.last?.key === key ? memory.last.commit : await storeCommit(repository, kept, leftOut);
  memoryByStore.set(repository.storeDir, { blobsByStamp, last: { key, commit } });
  return { commit, leftOut, files: new Map(kept.map(({ path, mode, blob }) => [path, { mode, blob }])) };
}

/** Without filters: line endings are converted in tracked files only. */
async function storeBlobs(
  repository: RunRepository,
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
  return withScratch(repository, async (scratch) => {
    const lines: Buffer[] = [];
    for (const [at, file] of fresh.entries())
      lines.push(await readablePath(repository, file, join(scratch, `${at}`)));
    const stdin = Buffer.concat(lines.flatMap((line) => [line, Buffer.from('\n')]));
    const hashed = await repository.git(['hash-object', '-w', '--no-filters', '--stdin-paths'], { stdin });
    const ids = printedValue(hashed).split('\n');
    await ownObjects(repository, ids);
    for (const [at, { stamp }] of fresh.entries()) blobs.set(stamp, ids[at] ?? '');
    return blobs;
  });
}

/** Git reads one path per line and follows links, so a link or a name with a line feed needs a copy. */
async function readablePath(repository: RunRepository, file: FoundFile, copy: string): Promise<Buffer> {
  const path = pathInside(repository, file.path);
  if (file.mode === '120000') await writeFile(copy, await readlink(path, { encoding: 'buffer' }));
  else if (file.path.includes('\n')) await copyFile(path, copy);
  else return path;
  return Buffer.from(copy);
}

/** The same files give the same commit, in another process too. */
const NO_TIME = { GIT_AUTHOR_DATE: '@0 +0000', GIT_COMMITTER_DATE: '@0 +0000' };

async function storeCommit(
  repository: RunRepository,
  kept: readonly { readonly path: string; readonly mode: string; readonly blob: string }[],
  leftOut: readonly string[],
): Promise<string> {
  return withScratch(repository, async (scratch) => {
    const env = { GIT_INDEX_FILE: join(scratch, 'index') };
    const git: Git = (argv, call) => repository.git(argv, { ...call, env });
    const records = kept.map(({ path, mode, blob }) => `${mode} ${blob}\t${path}\0`).join('');
    await git(['update-index', '-z', '--index-info'], { stdin: Buffer.from(records, 'latin1') });
    const tree = await writeTree(git);
    const message = `conductor: ignored files of ${repository.workspace.runId}\n\n${JSON.stringify({ leftOut })}\n`;
    await ownTree(repository, tree);
    return commitTree(repository.git, tree, [], message, NO_TIME);
  });
}

/** The ignored files that a snapshot or a salvage contains. */
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
