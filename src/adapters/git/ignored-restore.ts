import { chmod, mkdir, rmdir, symlink, unlink, writeFile } from 'node:fs/promises';
import { kindOf } from './file-kind.ts';
import { displace } from './harness-link.ts';
import { pathInside } from './ignored-files.ts';
import type { KeptIgnored } from './ignored-keep.ts';
import type { RunWorktree } from './run-worktree.ts';

/**
 * Takes away what was not there when `wanted` was kept. Files go, as they are in `now`; what is too large to be kept
 * is moved into the run folder of the worktree. What was too large then is left as it is: nobody knows what it was.
 */
export async function clearIgnored(
  worktree: RunWorktree,
  now: KeptIgnored,
  wanted: KeptIgnored,
): Promise<void> {
  const { worktreePath, runId } = worktree.workspace;
  const unknown = (path: string) =>
    wanted.leftOut.some((entry) => path === entry || path.startsWith(entry) || entry.startsWith(path));
  for (const entry of now.leftOut) {
    const path = pathInside(worktree, entry.replace(/\/$/, ''));
    if (unknown(entry) || (await kindOf(path)) === 'missing') continue;
    await displace(worktreePath, runId, path);
  }
  for (const path of now.files.keys()) {
    if (wanted.files.has(path) || unknown(path)) continue;
    await unlink(pathInside(worktree, path)).catch(() => undefined);
    await removeBareFolders(worktree, path);
  }
}

/** Writes what differs from `wanted`; with `onlyMissing`, only where nothing stands. */
export async function writeIgnored(
  worktree: RunWorktree,
  now: KeptIgnored,
  wanted: KeptIgnored,
  { onlyMissing }: { readonly onlyMissing: boolean },
): Promise<void> {
  for (const [path, { mode, blob }] of wanted.files) {
    const present = now.files.get(path);
    if (present?.blob === blob && present.mode === mode) continue;
    const target = pathInside(worktree, path);
    const missing = (await kindOf(target)) === 'missing';
    if (!missing && onlyMissing) continue;
    await makeParents(worktree, path);
    const content = (await worktree.git(['cat-file', 'blob', blob])).stdout;
    // Never through what stands there: it could be a link to anywhere.
    if (!missing) await clearPlace(worktree, target);
    if (mode === '120000') await symlink(content, target);
    else {
      await writeFile(target, content, { flag: 'wx' });
      if (mode === '100755') await chmod(target, 0o755);
    }
  }
}

async function clearPlace(worktree: RunWorktree, target: Buffer): Promise<void> {
  const { worktreePath, runId } = worktree.workspace;
  const kind = await kindOf(target);
  if (kind === 'folder') await displace(worktreePath, runId, target);
  else if (kind !== 'missing') await unlink(target);
}

async function makeParents(worktree: RunWorktree, path: string): Promise<void> {
  for (const folder of parentsOf(path)) {
    const target = pathInside(worktree, folder);
    const kind = await kindOf(target);
    if (kind === 'folder') continue;
    if (kind !== 'missing') await displace(worktree.workspace.worktreePath, worktree.workspace.runId, target);
    await mkdir(target);
  }
}

/** Git knows no folder without files, so none that became one is missed. */
async function removeBareFolders(worktree: RunWorktree, path: string): Promise<void> {
  for (const folder of parentsOf(path).reverse())
    try {
      await rmdir(pathInside(worktree, folder));
    } catch {
      return;
    }
}

/** The folders on the way, outermost first. */
function parentsOf(path: string): string[] {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, at) => parts.slice(0, at + 1).join('/'));
}
