import type { Revisions } from '../../../ports/work/revisions.ts';
import type { RunWorkspace } from '../../../ports/workspace/workspace.ts';
import { findDefaultBranch } from '../git/default-branch.ts';
import { createGit } from '../git/git-command.ts';
import { createWorkspace, describeWorkspace, discardWorkspace } from '../repository/create.ts';
import type { UserRepository } from '../repository/run-repository.ts';
import { makeItemCommit } from './item-commit.ts';
import { mergeItem } from './item-merge.ts';

/** Overrides user settings that would change the commit made from a patch, or run a program. */
const SETTINGS = [
  'apply.whitespace=nowarn',
  'apply.ignoreWhitespace=no',
  'i18n.commitEncoding=utf-8',
  'merge.renormalize=false',
];

export interface ItemRevisionsDeps extends UserRepository {
  /** The name of the default branch, if it is configured. */
  readonly branch?: string | null;
  /** Paths that setup owns, relative to a checkout. */
  readonly ownedPaths?: readonly string[];
}

export function createItemRevisions(deps: ItemRevisionsDeps): Revisions {
  const { repoRoot, branch = null, ownedPaths = [] } = deps;
  const gitAt = (signal?: AbortSignal) => createGit({ cwd: repoRoot, settings: SETTINGS, signal });
  const git = gitAt();
  return {
    defaultBranch: () => findDefaultBranch(git, branch),
    make: (request, signal) => makeItemCommit(gitAt(signal), request),
    merge: (request) => mergeItem({ git, branch }, request),
    checkOut: async ({ name, commit, harnessDir }, signal) => {
      const workspace = describeCheckout(deps, name, commit, harnessDir);
      await discardWorkspace(deps, workspace);
      await createWorkspace({ ...deps, signal }, workspace, { ownedPaths });
      return workspace.checkoutPath;
    },
    removeCheckout: (name) => discardWorkspace(deps, describeCheckout(deps, name, '', '')),
  };
}

/** Describes the workspace in which the checks of a revision run; it is laid out like that of a run. */
function describeCheckout(
  deps: ItemRevisionsDeps,
  name: string,
  commit: string,
  harnessDir: string,
): RunWorkspace {
  const runId = `checks-${name}`;
  return describeWorkspace(deps, {
    runId,
    workflowId: 'checks',
    baseRef: commit,
    baseSha: commit,
    harnessDir,
  });
}
