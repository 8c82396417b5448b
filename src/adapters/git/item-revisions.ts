import type { Revisions } from '../../ports/revisions.ts';
import { findDefaultBranch } from './default-branch.ts';
import { kindOf } from './file-kind.ts';
import { commonGitDir } from './find-repository.ts';
import { createGit } from './git-command.ts';
import { ensureHarnessLink } from './harness-link.ts';
import { makeItemCommit } from './item-commit.ts';
import { mergeItem } from './item-merge.ts';
import { withoutFilters } from './no-filters.ts';
import { findAdminDir, openRunWorktree } from './run-worktree.ts';
import { removeWorktree } from './worktree-lifecycle.ts';

/** A user's settings that would make another commit of the same patch, or run something. */
const SETTINGS = [
  'apply.whitespace=nowarn',
  'apply.ignoreWhitespace=no',
  'i18n.commitEncoding=utf-8',
  'merge.renormalize=false',
];

export interface ItemRevisionsDeps {
  /** The top of the user's checkout. */
  readonly repoRoot: string;
  /** Whether a step of a run started this conductor. */
  readonly withinStep?: boolean;
  /** The default branch by its name, where the configuration gives it. */
  readonly branch?: string | null;
}

export function createItemRevisions({
  repoRoot,
  withinStep = false,
  branch = null,
}: ItemRevisionsDeps): Revisions {
  const gitAt = (signal?: AbortSignal) => createGit({ cwd: repoRoot, settings: SETTINGS, signal });
  const git = gitAt();
  let gitDirOnce: Promise<string> | undefined;
  const gitDirOf = (): Promise<string> => {
    gitDirOnce ??= commonGitDir(git);
    return gitDirOnce;
  };
  const removeCheckout = async (path: string): Promise<void> => {
    const gitDir = await gitDirOf();
    if ((await kindOf(path)) === 'missing' && (await findAdminDir(gitDir, path)) === null) return;
    await removeWorktree(git, gitDir, path);
  };
  return {
    defaultBranch: () => findDefaultBranch(git, branch),
    make: async (request, signal) => makeItemCommit(gitAt(signal), await gitDirOf(), request),
    merge: async (request) => mergeItem({ git, gitDir: await gitDirOf(), withinStep, branch }, request),
    checkOut: async ({ path, commit, runId, harnessDir }, signal) => {
      const own = gitAt(signal);
      await removeCheckout(path);
      const add = ['worktree', 'add', '-f', '-f', '-q', '--detach', '--no-checkout', path, commit];
      await own(add, { env: await withoutFilters(own), retryLocks: true });
      const workspace = {
        runId,
        repoRoot,
        worktreePath: path,
        branchName: `conductor/run/${runId}`,
        baseRef: commit,
        baseSha: commit,
        harnessDir,
      };
      const inside = await openRunWorktree(workspace, await gitDirOf(), signal);
      await inside.git(['read-tree', '--reset', '-u', commit]);
      await ensureHarnessLink(path, runId, harnessDir);
    },
    removeCheckout,
  };
}
