import { constants } from 'node:fs';
import { readFile, readlink } from 'node:fs/promises';
import { isExpectedFailure } from '../../../../contracts/expected-failure.ts';
import type { Git } from '../../git/git-command.ts';
import type { RunRepository } from '../../repository/run-repository.ts';
import { type TreeFile, writeCommit, writeFileTree, writeObject } from '../../repository/store-objects.ts';
import { pathInside } from '../paths.ts';
import { type FoundFile, type FoundIgnored, findIgnored } from './ignored-files.ts';

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

/** Stores the files that git ignores, unless they are too large. No tree of a snapshot contains them. */
export async function keepIgnored(
  repository: RunRepository,
  ignored: readonly string[],
): Promise<KeptIgnored> {
  if (ignored.length === 0) return NOTHING_IGNORED;
  const found = await findIgnored(repository, ignored);
  try {
    return await store(repository, found);
  } catch (error) {
    if (!isExpectedFailure(error)) throw error;
    // Another process is still writing these files. Ignored files must not make the snapshot fail.
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

/** Stores files without git filters: line endings are converted in tracked files only. */
async function storeBlobs(
  repository: RunRepository,
  files: readonly FoundFile[],
  known: ReadonlyMap<string, string>,
): Promise<Map<string, string>> {
  const blobs = new Map<string, string>();
  for (const file of files) {
    const { stamp } = file;
    const blob =
      known.get(stamp) ?? (await writeObject(repository, 'blob', await readContent(repository, file)));
    blobs.set(stamp, blob);
  }
  return blobs;
}

/** Neither follows a link nor blocks on a pipe that has replaced the file. */
const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

function readContent(repository: RunRepository, { path, mode }: FoundFile): Promise<Buffer> {
  const target = pathInside(repository, path);
  return mode === '120000' ? readlink(target, { encoding: 'buffer' }) : readFile(target, { flag: READ });
}

/** The same files give the same commit, in another process too. */
async function storeCommit(
  repository: RunRepository,
  kept: readonly TreeFile[],
  leftOut: readonly string[],
): Promise<string> {
  const message = `conductor: ignored files of ${repository.workspace.runId}\n\n${JSON.stringify({ leftOut })}\n`;
  const tree = await writeFileTree(repository, kept);
  return writeCommit(repository, { tree, parents: [], message, undated: true });
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
