import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { Removal } from '../../../ports/upkeep.ts';
import type { RunWorkspace } from '../../../ports/workspace/workspace.ts';
import { commitAt, commitTree, treeOf } from '../git/commits.ts';
import { kindOf } from '../git/file-kind.ts';
import { createGit, printedValue } from '../git/git-command.ts';
import { type UserRepository, userGit } from '../repository/run-repository.ts';
import { salvageRefOf } from './salvage-refs.ts';
import { addUserRef } from './user-refs.ts';

/** Earlier versions gave validators a second linked worktree under this name. */
const JUDGE_SUFFIX = '.judge';

/** Whether an earlier version started the run in a linked worktree of the user's repository. */
export function isLinkedWorktree({ checkoutPath, runId }: RunWorkspace): boolean {
  return basename(checkoutPath) === runId;
}

/** Removes the linked worktree of an earlier version. Uncommitted files are salvaged first. */
export async function removeLinkedWorktree(user: UserRepository, workspace: RunWorkspace): Promise<Removal> {
  const git = userGit(user, workspace.runId);
  const { checkoutPath } = workspace;
  const exists = (await kindOf(join(checkoutPath, '.git'))) !== 'missing';
  const salvageRef = exists ? await keepFiles(user, workspace) : null;
  for (const path of [checkoutPath, `${checkoutPath}${JUDGE_SUFFIX}`]) {
    // Git refuses a worktree that it does not know or that is damaged; then the folder is removed directly.
    await git(['worktree', 'remove', '--force', '--force', path], { answers: [1, 128, 255] });
    await rm(path, { recursive: true, force: true });
  }
  await git(['worktree', 'prune'], { retryLocks: true });
  return { ok: true, removed: exists, salvageRef, notes: [] };
}

async function keepFiles(
  user: UserRepository,
  { checkoutPath, runId }: RunWorkspace,
): Promise<string | null> {
  const git = createGit({ cwd: checkoutPath, runId, signal: user.signal });
  const head = await commitAt(git, 'HEAD');
  if (head === null) return null;
  const scratch = await mkdtemp(join(tmpdir(), 'conductor-index-'));
  const env = { GIT_INDEX_FILE: join(scratch, 'index') };
  try {
    await git(['read-tree', head], { env });
    await git(['add', '-A', '--', '.'], { env });
    await git(['reset', '-q', head, '--', '.tnh/run'], { env, answers: [1, 128] });
    const tree = printedValue(await git(['write-tree'], { env }));
    const isOnBranch = tree === (await treeOf(git, head));
    if (isOnBranch) return null;
    const commit = await commitTree(git, tree, [head], `conductor salvage of ${runId}: worktree\n`);
    return await addUserRef(git, salvageRefOf(runId, 'worktree'), commit);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
