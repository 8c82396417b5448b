import type { RunWorkspace } from '../../../ports/workspace/workspace.ts';
import { kindOf } from '../git/file-kind.ts';
import { isLinkedWorktree } from '../result/linked-worktrees.ts';
import { readBaseTree } from './layout.ts';
import { storeDirOf, type UserRepository } from './run-repository.ts';

/**
 * Locates the objects of a run: in the store, or, once the workspace is removed, in the user's repository, which has
 * the result. Runs of earlier versions have no store.
 */
export async function locateObjects(
  { gitDir }: UserRepository,
  workspace: RunWorkspace,
): Promise<{ readonly gitDir: string; readonly baseTree: string | null }> {
  const storeDir = storeDirOf(workspace);
  const hasStore = !isLinkedWorktree(workspace) && (await kindOf(storeDir)) === 'folder';
  return hasStore ? { gitDir: storeDir, baseTree: await readBaseTree(storeDir) } : { gitDir, baseTree: null };
}
