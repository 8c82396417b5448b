import { join } from 'node:path';
import { type Git, GitError } from '../git/git-command.ts';
import { type UserRepository, userGit } from '../repository/run-repository.ts';
import { parseRemoteRefs } from './hub-refs.ts';

/** Git commands between the user's repository, the stores of runs and the hub, with the user's own credentials. */
export interface HubGit {
  /** Pushes a commit to a ref that must not exist. Does nothing if the ref is at this commit already. */
  readonly create: (runId: string, ref: string, commit: string) => Promise<void>;
  /** Moves a ref that must be at `expected`; empty if it must not exist. */
  readonly move: (runId: string, ref: string, commit: string, expected: string) => Promise<void>;
  readonly list: (patterns: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  /** Fetches into the user's repository, or into a store. */
  readonly fetch: (refspecs: readonly string[], storeDir?: string) => Promise<void>;
}

const SETTINGS = [
  'fetch.fsckObjects=false',
  'fetch.writeCommitGraph=false',
  'push.recurseSubmodules=no',
  'push.followTags=false',
  'push.gpgSign=false',
  'push.negotiate=false',
  'protocol.file.allow=always',
];
const FETCH = [
  'fetch',
  '--quiet',
  '--no-tags',
  '--no-write-fetch-head',
  '--no-auto-maintenance',
  '--no-recurse-submodules',
  '--no-prune',
  '--no-show-forced-updates',
];

export function createHubGit(user: UserRepository, hub: string, storeOf: (runId: string) => string): HubGit {
  const git = userGit(user);
  /** Git in the user's repository that also sees the objects of a run's store. */
  const gitOf = (runId: string): Git => {
    const objects = JSON.stringify(join(storeOf(runId), 'objects'));
    const own = userGit(user, runId);
    return (argv, call) =>
      own(argv, { ...call, env: { ...call?.env, GIT_ALTERNATE_OBJECT_DIRECTORIES: objects } });
  };
  const list: HubGit['list'] = async (patterns) => {
    const listed = await named(hub, () =>
      git(['ls-remote', '--quiet', '--', hub, ...patterns], { settings: SETTINGS }),
    );
    return parseRemoteRefs(listed.stdout.toString('utf8'));
  };
  const move: HubGit['move'] = async (runId, ref, commit, expected) => {
    const argv = ['push', '--quiet', '--no-verify', `--force-with-lease=${ref}:${expected}`, '--', hub];
    await named(hub, () => gitOf(runId)([...argv, `${commit}:${ref}`], { settings: SETTINGS }));
  };
  return {
    list,
    move,
    create: async (runId, ref, commit) => {
      try {
        await move(runId, ref, commit, '');
      } catch (error) {
        const at = (await list([ref])).get(ref);
        if (at !== commit) throw error;
      }
    },
    fetch: async (refspecs, storeDir) => {
      const env = storeDir === undefined ? {} : { GIT_DIR: storeDir };
      await named(hub, () =>
        git([...FETCH, '--', hub, ...refspecs], { env, settings: SETTINGS, retryLocks: true }),
      );
    },
  };
}

async function named<T>(hub: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    throw new GitError(error.argv, error.exitCode, `${error.detail} (hub ${withoutPassword(hub)})`, error);
  }
}

/** An address may contain a password. */
function withoutPassword(address: string): string {
  return address.replace(/^([a-z+]+:\/\/)[^/@]*@/i, '$1');
}
