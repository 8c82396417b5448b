import type { Forge } from '../../../ports/forge/forge.ts';
import type { ItemBranches } from '../../../ports/work/item-branches.ts';
import { commitAt } from '../git/commits.ts';
import { findDefaultBranch } from '../git/default-branch.ts';
import { createGit, type Git } from '../git/git-command.ts';
import { fetchBranch, pushCommit } from '../result/push-commit.ts';
import { moveBranch } from './item-merge.ts';

export interface ItemBranchesDeps {
  readonly repoRoot: string;
  /** The name of the default branch, if it is configured. */
  readonly branch: string | null;
  readonly forge: Forge;
}

/** Branches of the forge as they were last fetched. */
const FETCHED = 'refs/conductor/forge/';

export function createItemBranches({ repoRoot, branch, forge }: ItemBranchesDeps): ItemBranches {
  const git = createGit({ cwd: repoRoot });
  const { signal } = new AbortController();
  const remote = async () => ({ forge, gitUrl: (await forge.repository()).gitUrl, signal });
  return {
    baseBranch: async () => (await findDefaultBranch(git, branch))?.name ?? null,
    push: async ({ branch: name, commit, lease }) =>
      pushCommit(repoRoot, { ...(await remote()), branch: name, commit, expected: lease }),
    followRemote: async (upTo) => {
      const local = await findDefaultBranch(git, branch);
      if (local === null)
        return {
          ok: false,
          reason: 'the default branch of the repository is unknown',
          help: 'name the branch that work is merged into: work.branch in .tnh/config.yaml',
        };
      const { name } = local;
      const fetched = await fetchBranch(repoRoot, {
        ...(await remote()),
        branch: name,
        ref: `${FETCHED}${name}`,
      });
      const done = { ok: true, into: name, commit: fetched } as const;
      if (await contains(git, fetched, local.commit))
        return fetched === local.commit
          ? done
          : moveBranch({ git }, local, fetched, `conductor: follow ${name} of the forge`);
      if (await contains(git, upTo, local.commit)) return done;
      return {
        ok: false,
        reason: `${name} has commits that ${name} on the forge does not have`,
        help: `push them: git push origin ${name}`,
      };
    },
  };
}

async function contains(git: Git, commit: string, ancestor: string): Promise<boolean> {
  if ((await commitAt(git, commit)) === null) return false;
  const within = await git(['merge-base', '--is-ancestor', ancestor, commit], { answers: [1] });
  return within.exitCode === 0;
}
