import { lstat, mkdir, mkdtemp, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { formatBytes } from '../../../contracts/byte-size.ts';
import { OversizedChange } from '../../../contracts/run/oversized-change.ts';
import type { Git } from '../git/git-command.ts';
import type { RunRepository } from '../repository/run-repository.ts';
import { DISPLACED_FOLDER } from './displaced.ts';
import { TRACKED_PATHSPEC } from './harness-link.ts';
import { pathBelow, pathInside, textOfPath } from './paths.ts';

const READS_AT_ONCE = 256;

/**
 * Throws if these files are too large for a snapshot. Holes in sparse files count, because git would store them as
 * zeros.
 */
export async function checkSize(repository: RunRepository, paths: readonly string[]): Promise<void> {
  const { bytes: mostBytes, files: mostFiles } = repository.bounds;
  const aside = join(repository.folder, DISPLACED_FOLDER);
  if (paths.length > mostFiles) {
    const where = textOfPath(commonFolder(paths));
    throw new OversizedChange(
      `it left ${paths.length} new or changed files${where === '' ? '' : `, most of them in ${where}`}; a snapshot takes ${mostFiles}`,
      aside,
    );
  }
  let total = 0;
  let largest = { path: '', bytes: 0 };
  for (let at = 0; at < paths.length; at += READS_AT_ONCE) {
    const batch = paths.slice(at, at + READS_AT_ONCE);
    const sizes = await Promise.all(batch.map((path) => sizeOf(repository, path)));
    for (const [index, bytes] of sizes.entries()) {
      total += bytes;
      if (bytes > largest.bytes) largest = { path: batch[index] ?? '', bytes };
    }
  }
  if (total > mostBytes)
    throw new OversizedChange(
      `it left ${formatBytes(total)} in new or changed files, the largest ${textOfPath(largest.path)} with ${formatBytes(largest.bytes)}; a snapshot takes ${formatBytes(mostBytes)} (see limits.written_bytes)`,
      aside,
    );
}

async function sizeOf(repository: RunRepository, path: string): Promise<number> {
  const found = await lstat(pathInside(repository, path)).catch(() => null);
  return found?.isFile() === true ? found.size : 0;
}

/** The folder that most of the paths are in. */
function commonFolder(paths: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const path of paths) {
    const folder = path.slice(0, Math.max(0, path.lastIndexOf('/')));
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  const [first] = [...counts].sort((one, other) => other[1] - one[1]);
  return first?.[0] ?? '';
}

/**
 * Runs work that takes a snapshot. If the change is too large, moves the changed files out of the checkout and retries.
 */
export async function withoutOversize<T>(repository: RunRepository, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof OversizedChange)) throw error;
    await displaceChanges(repository);
    return work();
  }
}

/** Keeps changed and new files in the run's folder, at their paths, until the workspace is removed. */
async function displaceChanges(repository: RunRepository): Promise<void> {
  const { git, folder } = repository;
  const asideFolder = join(folder, DISPLACED_FOLDER);
  await mkdir(asideFolder, { recursive: true });
  const item = await mkdtemp(join(asideFolder, 'item-'));
  const made = new Set<string>();
  for (const path of await changedPaths(git)) {
    const target = pathBelow(item, path);
    const parent = dirname(path);
    if (!made.has(parent)) await mkdir(pathBelow(item, parent), { recursive: true });
    made.add(parent);
    await rename(pathInside(repository, path), target).catch(() => undefined);
  }
}

/** New files, where possible as whole folders, and changed ones. */
async function changedPaths(git: Git): Promise<string[]> {
  const list = async (...options: string[]) => {
    const listed = await git(['ls-files', '-z', ...options, ...TRACKED_PATHSPEC]);
    return listed.stdout.toString('latin1').split('\0');
  };
  const created = await list('-o', '--directory', '--no-empty-directory', '--exclude-standard');
  const changed = await list('-m');
  return [...created, ...changed].filter((path) => path !== '').map((path) => path.replace(/\/$/, ''));
}
