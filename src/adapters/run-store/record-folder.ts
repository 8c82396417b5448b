import { mkdir, rm, rmdir, symlink, unlink, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import type { RecordFolder, RecordFolders } from '../../ports/record-folders.ts';
import { hasErrorCode } from '../../text/error-code.ts';
import { exists } from './durable-file.ts';
import { createRunDirectory } from './run-directory.ts';

export interface RecordPlace {
  readonly repoRoot: string;
  /** Absolute path of the folder with the runs, or with links to runs that are stored elsewhere. */
  readonly runsDir: string;
}

const RUN_FOLDERS = ['artifacts', 'harness', 'screenshots', 'logs'];

export function createRecordFolders(place: RecordPlace): RecordFolders {
  return {
    locate: (runId, artifactsDir) => locateRun(place, runId, artifactsDir),
    indexed: (runId) => join(place.runsDir, runId),
    create: (runId, artifactsDir) => createRecordFolder(place, runId, artifactsDir, true),
    open: createRunDirectory,
  };
}

export function locateRun(
  { repoRoot, runsDir }: RecordPlace,
  runId: string,
  artifactsDir: string | null,
): string {
  return join(artifactsDir === null ? runsDir : resolve(repoRoot, artifactsDir), runId);
}

/** With `reuse`, also takes a folder that exists. */
export async function createRecordFolder(
  place: RecordPlace,
  runId: string,
  artifactsDir: string | null,
  reuse: boolean,
): Promise<RecordFolder> {
  const made = await prepareRunsFolder(place);
  const indexed = join(place.runsDir, runId);
  const path = locateRun(place, runId, artifactsDir);
  const isElsewhere = path !== indexed;
  await mkdir(path, { recursive: true });
  if (isElsewhere) {
    await writeFile(join(path, '.gitignore'), '*\n');
    if (!reuse || !(await exists(indexed))) await symlink(relative(place.runsDir, path), indexed);
  }
  await Promise.all(RUN_FOLDERS.map((folder) => mkdir(join(path, folder), { recursive: reuse })));
  const remove = async () => {
    await rm(path, { recursive: true, force: true });
    if (isElsewhere) await unlink(indexed);
    await removeCreated(made);
  };
  return { path, isElsewhere, remove };
}

/**
 * Creates the folder of the runs. `.gitignore` files keep runs and checkouts out of git and ignore themselves too, so
 * that `git status` does not change. Returns the created paths, in order, so that a failed start can remove them.
 */
export async function prepareRunsFolder({ repoRoot, runsDir }: RecordPlace): Promise<readonly string[]> {
  const made: string[] = [];
  const home = join(repoRoot, '.tnh');
  const first = await mkdir(runsDir, { recursive: true });
  if (first !== undefined) made.push(...listCreatedFolders(first, runsDir));
  const files = [{ path: join(runsDir, '.gitignore'), text: '*\n' }];
  if (runsDir.startsWith(`${home}/`))
    files.push({ path: join(home, '.gitignore'), text: '/.gitignore\n/run/\n/worktrees/\n' });
  for (const { path, text } of files) {
    if (await exists(path)) continue;
    try {
      await writeFile(path, text, { flag: 'wx' });
      made.push(path);
    } catch (error) {
      if (!hasErrorCode(error, 'EEXIST')) throw error;
    }
  }
  return made;
}

/** The folders from the first created one down to the last. */
function listCreatedFolders(first: string, last: string): string[] {
  const folders: string[] = [];
  for (let folder = last; folder.length >= first.length; folder = dirname(folder)) folders.unshift(folder);
  return folders;
}

/** Removes created files, and created folders if they are empty. */
async function removeCreated(made: readonly string[]): Promise<void> {
  for (const path of made.toReversed())
    await (path.endsWith('.gitignore') ? unlink(path) : rmdir(path).catch(() => {}));
}
