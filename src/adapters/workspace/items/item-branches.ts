import { ForgeError } from '../../../forge/forge-problem.ts';
import type { ItemBranches } from '../../../ports/work/item-branches.ts';
import { commitAt } from '../git/commits.ts';
import { findDefaultBranch } from '../git/default-branch.ts';
import { createGit, type Git, type GitCall, type GitResult } from '../git/git-command.ts';
import { moveBranch } from './item-merge.ts';

export interface ItemBranchesDeps {
  readonly repoRoot: string;
  /** The name of the default branch, if it is configured. */
  readonly branch: string | null;
  readonly remote: () => Promise<GitRemote>;
}

export interface GitRemote {
  readonly host: string;
  /** Without credentials. */
  readonly url: string;
  readonly user: string;
  readonly secret: string;
}

/** Branches of the forge as they were last fetched. */
const FETCHED = 'refs/conductor/forge/';

/** Git asks this helper and no other. The secret is in the environment of this one command, not in its arguments. */
const HELPER =
  '!f() { test "$1" = get && printf "username=%s\\npassword=%s\\n" "$CONDUCTOR_FORGE_USER" "$CONDUCTOR_FORGE_SECRET"; }; f';

export function createItemBranches({ repoRoot, branch, remote }: ItemBranchesDeps): ItemBranches {
  const git = createGit({ cwd: repoRoot });
  return {
    baseBranch: async () => (await findDefaultBranch(git, branch))?.name ?? null,
    push: async ({ branch: name, commit, lease }) => {
      const target = await remote();
      const ref = `refs/heads/${name}`;
      const argv = ['push', '--quiet', `--force-with-lease=${ref}:${lease ?? ''}`, target.url];
      const ended = await git([...argv, `${commit}:${ref}`], callWith(target));
      if (ended.exitCode === 0) return;
      const reason = firstError(ended);
      throw /\[(?:remote )?rejected\]|stale info/.test(ended.stderr)
        ? new ForgeError({ kind: 'branch_moved', branch: name, reason })
        : new ForgeError({ kind: 'unreachable', host: target.host, reason });
    },
    followRemote: async (upTo) => {
      const local = await findDefaultBranch(git, branch);
      if (local === null)
        return {
          ok: false,
          reason: 'the default branch of the repository is unknown',
          help: 'name the branch that work is merged into: work.branch in .tnh/config.yaml',
        };
      const { name } = local;
      const fetched = await fetchBranch(git, name, await remote());
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

async function fetchBranch(git: Git, name: string, target: GitRemote): Promise<string> {
  const ref = `${FETCHED}${name}`;
  const argv = ['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', target.url];
  const ended = await git([...argv, `+refs/heads/${name}:${ref}`], callWith(target));
  const commit = ended.exitCode === 0 ? await commitAt(git, ref) : null;
  if (commit !== null) return commit;
  throw new ForgeError({ kind: 'unreachable', host: target.host, reason: firstError(ended) });
}

function callWith({ user, secret }: GitRemote): GitCall {
  return {
    settings: ['credential.helper=', `credential.helper=${HELPER}`, 'http.followRedirects=true'],
    env: { CONDUCTOR_FORGE_USER: user, CONDUCTOR_FORGE_SECRET: secret },
    answers: [1, 128],
    retryLocks: true,
  };
}

async function contains(git: Git, commit: string, ancestor: string): Promise<boolean> {
  if ((await commitAt(git, commit)) === null) return false;
  const within = await git(['merge-base', '--is-ancestor', ancestor, commit], { answers: [1] });
  return within.exitCode === 0;
}

function firstError({ stderr, exitCode }: GitResult): string {
  const lines = stderr.split('\n').filter((line) => line.trim() !== '');
  return (
    lines.find((line) => /rejected|^(?:fatal|error):/.test(line))?.trim() ?? `git exited with ${exitCode}`
  );
}
