import type { Published, RunResult, RunWorkspace } from '../ports/workspace.ts';
import type { Life } from './sim-life.ts';
import type { SimRepo } from './sim-repo.ts';

/** The result commit for the run's branch, in the store before it is fetched. */
const RESULT_REF = 'refs/conductor/result';

/**
 * Publishes the result to the user's repository in the same order as the real workspace, with a point after
 * each write.
 */
export async function publishSim(
  repo: SimRepo,
  life: Life,
  { runId, branchName }: RunWorkspace,
  { tree, message }: RunResult,
): Promise<Published> {
  await life.point('publish');
  const earlier = repo.storeRefs.get(RESULT_REF) ?? null;
  const isChanged = tree !== repo.treeOf(repo.baseCommit);
  if (!isChanged && earlier === null) return { commit: repo.baseCommit, ref: null, leftAlone: null };
  const commit = isChanged ? resultCommit(repo, { tree, message }, earlier) : repo.baseCommit;
  const ref = `refs/heads/${branchName}`;
  const at = repo.userRefs.get(ref) ?? null;
  const isOurs = at === earlier || at === repo.branchLeftAt;
  // A process died before it could record where it left the branch. Otherwise, after a second such crash, the
  // branch would look as if a user had moved it.
  if (isOurs && at !== repo.branchLeftAt) {
    repo.branchLeftAt = at;
    await life.point('publish:recognised');
  }
  repo.storeRefs.set(RESULT_REF, commit);
  await life.point('publish:stored');
  if (isOurs) {
    repo.userRefs.set(ref, commit);
    await life.point('publish:fetched');
    repo.branchLeftAt = commit;
    await life.point('publish:remembered');
    return { commit, ref, leftAlone: null };
  }
  const salvageRef = `refs/conductor/salvage/${runId}`;
  repo.userRefs.set(salvageRef, commit);
  await life.point('publish:salvaged');
  const leftAlone = { branchName, reason: 'moved', at, checkout: null, detail: null, salvageRef } as const;
  return { commit, ref: salvageRef, leftAlone };
}

/** Returns the same commit for the same result after a crash. */
function resultCommit(repo: SimRepo, { tree, message }: RunResult, earlier: string | null): string {
  if (earlier !== null) {
    const known = repo.commitById(earlier);
    if (known.tree === tree && known.message === message) return earlier;
  }
  return repo.makeCommit({ tree, parent: repo.baseCommit, message });
}
