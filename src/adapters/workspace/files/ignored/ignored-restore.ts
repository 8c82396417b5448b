import { chmod, mkdir, rmdir, symlink, unlink, writeFile } from 'node:fs/promises';
import { kindOf } from '../../git/file-kind.ts';
import { GitError } from '../../git/git-command.ts';
import { readObjects } from '../../git/read-objects.ts';
import type { RunRepository } from '../../repository/run-repository.ts';
import { displace } from '../displaced.ts';
import { parentsOf, pathInside, textOfPath } from '../paths.ts';
import type { KeptIgnored } from './ignored-keep.ts';

/**
 * Removes ignored files that did not exist when `wanted` was stored. `now` has a copy of them; files that are too large
 * for a copy are moved aside. Files that `wanted` skipped as too large stay, because their earlier content is unknown.
 */
export async function clearIgnored(
  repository: RunRepository,
  now: KeptIgnored,
  wanted: KeptIgnored,
): Promise<void> {
  const isUnknown = (path: string) =>
    wanted.leftOut.some((entry) => path === entry || path.startsWith(entry) || entry.startsWith(path));
  for (const entry of now.leftOut) {
    const path = pathInside(repository, entry.replace(/\/$/, ''));
    if (isUnknown(entry) || (await kindOf(path)) === 'missing') continue;
    await displace(repository, path);
  }
  for (const path of now.files.keys()) {
    if (wanted.files.has(path) || isUnknown(path)) continue;
    await unlink(pathInside(repository, path)).catch(() => undefined);
    await removeEmptyParents(repository, path);
  }
}

/** Writes the files of `wanted` that differ; with `onlyMissing`, only those that don't exist. */
export async function writeIgnored(
  repository: RunRepository,
  now: KeptIgnored,
  wanted: KeptIgnored,
  { onlyMissing }: { readonly onlyMissing: boolean },
): Promise<void> {
  const differing = [...wanted.files].filter(([path, { mode, blob }]) => {
    const present = now.files.get(path);
    return present?.blob !== blob || present.mode !== mode;
  });
  const contents = await readObjects(
    repository.git,
    differing.map(([, { blob }]) => blob),
  );
  for (const [at, [path, { mode, blob }]] of differing.entries()) {
    const target = pathInside(repository, path);
    const missing = (await kindOf(target)) === 'missing';
    if (!missing && onlyMissing) continue;
    const content = contents[at]?.content;
    if (content === undefined)
      throw new GitError([], null, `the object ${blob} of ${textOfPath(path)} is missing`);
    await makeParents(repository, path);
    // Never write through an existing file: it could be a link.
    if (!missing) await clearPlace(repository, target);
    if (mode === '120000') await symlink(content, target);
    else {
      await writeFile(target, content, { flag: 'wx' });
      if (mode === '100755') await chmod(target, 0o755);
    }
  }
}

async function clearPlace(repository: RunRepository, target: Buffer): Promise<void> {
  const kind = await kindOf(target);
  if (kind === 'folder') await displace(repository, target);
  else if (kind !== 'missing') await unlink(target);
}

async function makeParents(repository: RunRepository, path: string): Promise<void> {
  for (const folder of parentsOf(path)) {
    const target = pathInside(repository, folder);
    const kind = await kindOf(target);
    if (kind === 'folder') continue;
    if (kind !== 'missing') await displace(repository, target);
    await mkdir(target);
  }
}

/** No snapshot contains empty folders. */
async function removeEmptyParents(repository: RunRepository, path: string): Promise<void> {
  for (const folder of parentsOf(path).reverse())
    try {
      await rmdir(pathInside(repository, folder));
    } catch {
      return;
    }
}
