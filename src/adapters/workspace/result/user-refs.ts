import { type Git, GitError } from '../git/git-command.ts';

const NAME_LIMIT = 1000;

/** Creates a ref to `commit` in the user's repository. If the name is taken, appends a number: no ref is replaced. */
export async function addUserRef(git: Git, wanted: string, commit: string): Promise<string> {
  for (let count = 1; count <= NAME_LIMIT; count += 1) {
    const ref = count === 1 ? wanted : `${wanted}-${count}`;
    const found = await git(['rev-parse', '--verify', '--quiet', ref], { answers: [1, 128] });
    if (found.exitCode === 0 && found.stdout.toString('utf8').trim() === commit) return ref;
    if (found.exitCode === 0) continue;
    await git(['update-ref', '--no-deref', ref, commit, ''], { retryLocks: true });
    return ref;
  }
  throw new GitError([], null, `there are already ${NAME_LIMIT} refs called ${wanted}`);
}

/** Keeps the user's configuration from making a fetch write anything but objects and the given refs. */
const FETCH_SETTINGS = [
  'fetch.unpackLimit=1',
  'fetch.fsckObjects=false',
  'fetch.writeCommitGraph=false',
  'protocol.file.allow=always',
];
/**
 * Serves the store with only its own configuration: the user's may hide refs, or distrust a store of another user id.
 */
const UPLOAD_PACK = `env GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 git -c 'safe.directory=*' upload-pack`;
const FETCH = [
  'fetch',
  '--quiet',
  `--upload-pack=${UPLOAD_PACK}`,
  '--no-tags',
  '--no-write-fetch-head',
  '--no-auto-maintenance',
  '--no-recurse-submodules',
  '--no-prune',
  '--no-show-forced-updates',
];

/**
 * Errors of a fetch whose pack was deleted while it was written: `git gc --prune=now` in the user's repository does
 * that.
 */
const PRUNED = /\bobjects?\b|\bpack\b|index-pack/i;
const FETCH_ATTEMPTS = 20;

/**
 * Fetches commits from a run's store into the user's repository: one fetch, as a pack that git keeps until the refs are
 * written. With `base`, the pack contains every object that the base lacks, even if another branch has it: that branch
 * may be deleted at any time.
 */
export async function fetchFromStore(
  git: Git,
  storeDir: string,
  refspecs: readonly string[],
  base?: string,
): Promise<void> {
  const negotiation = base === undefined ? [] : [`--negotiation-tip=${base}`];
  for (let attempt = 1; ; attempt += 1)
    try {
      const argv = [...FETCH, ...negotiation, '--', storeDir, ...refspecs];
      await git(argv, { settings: FETCH_SETTINGS, retryLocks: true });
      return;
    } catch (error) {
      const isPruned = error instanceof GitError && error.exitCode !== null && PRUNED.test(error.detail);
      if (!isPruned || attempt === FETCH_ATTEMPTS) throw error;
    }
}
