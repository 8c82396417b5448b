import { execFile } from 'node:child_process';
import { lstat, realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { isGlob, normalizePattern } from '../../setup/owned-paths.ts';
import { expandPatterns, findLinkInPath } from './setup-paths.ts';
import { copyTree, listTree, type Pauses, removeTree } from './tree.ts';

const run = promisify(execFile);

/** Copies the files of `setup.copy` from the user's checkout. Returns an error message, or null. */
export async function copyUserFiles(
  repoRoot: string,
  checkout: string,
  patterns: readonly string[],
  pauses: Pauses,
): Promise<string | null> {
  for (const pattern of patterns) {
    const paths = await expandPatterns(repoRoot, [pattern]);
    if (paths.length === 0 && !isGlob(pattern))
      return `setup.copy: ${normalizePattern(pattern)} does not exist in ${repoRoot}`;
    for (const path of paths) {
      const link = await findLinkInPath(checkout, path);
      if (link !== null) return `setup.copy: ${path} leads through the link ${link}`;
      await copyPath(repoRoot, checkout, path, pauses);
    }
  }
  return null;
}

/** Follows a link at the top: the user means its target, and a copied link would lead out of the checkout. */
async function copyPath(repoRoot: string, checkout: string, path: string, pauses: Pauses): Promise<void> {
  const real = await realpath(join(repoRoot, path));
  const name = basename(real);
  const target = join(checkout, path);
  await removeTree(target, pauses);
  const tree = await listTree(dirname(real), [name], pauses);
  const renamed = [...tree].map(
    ([each, entry]) => [each === name ? '' : each.slice(name.length + 1), entry] as const,
  );
  await copyTree({ from: real, to: target, entries: renamed, verify: false, pauses });
}

/** Finds existing paths of the checkout that git tracks: setup must not own files that belong to the change. */
export async function trackedAmong(
  checkout: string,
  patterns: readonly string[],
): Promise<readonly string[]> {
  const existing = await expandPatterns(checkout, patterns);
  if (existing.length === 0) return [];
  try {
    const options = ['-c', 'core.fsmonitor=false', '--literal-pathspecs', 'ls-files', '-z', '--'];
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_')));
    const place = { cwd: checkout, env, maxBuffer: 64 * 1024 * 1024 };
    const { stdout } = await run('git', [...options, ...existing], place);
    const tracked = stdout.split('\0').filter((path) => path !== '');
    return existing.filter((path) => tracked.some((file) => file === path || file.startsWith(`${path}/`)));
  } catch {
    return []; // Not a repository, so git tracks nothing.
  }
}

/** Removes results of earlier preparations at the paths of setup. Returns an error message, or null. */
export async function removeOwned(
  checkout: string,
  patterns: readonly string[],
  pauses: Pauses,
): Promise<string | null> {
  for (const path of await expandPatterns(checkout, patterns)) {
    const link = await findLinkInPath(checkout, path);
    if (link !== null) return `setup.cache: ${path} leads through the link ${link}`;
    if ((await lstat(join(checkout, path)).catch(() => null)) !== null)
      await removeTree(join(checkout, path), pauses);
  }
  return null;
}
