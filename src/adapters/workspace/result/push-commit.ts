import { ForgeError } from '../../../forge/forge-problem.ts';
import type { Forge } from '../../../ports/forge/forge.ts';
import type { PushRequest } from '../../../ports/forge/project-forge.ts';
import { createGit, type GitCall, GitError, printedValue } from '../git/git-command.ts';

/** Holds the secret in the environment of this one git, and of nothing that git starts but its own programs. */
const SECRET_VARIABLE = 'CONDUCTOR_PUSH_SECRET';
const USER_VARIABLE = 'CONDUCTOR_PUSH_USER';

/** Prints the credential for git. A fixed text: neither the secret nor the user is part of an argument or a file. */
const HELPER = `!f() { test "$1" = get && printf 'username=%s\\npassword=%s\\n' "$${USER_VARIABLE}" "$${SECRET_VARIABLE}"; }; f`;

/**
 * The empty helper comes first: it removes the user's own helpers, which would store the secret. Hooks are off for every
 * git that conductor starts, so no program of the repository sees the environment.
 */
const SETTINGS = [
  'credential.helper=',
  'credential.useHttpPath=false',
  'core.askPass=',
  'http.extraHeader=',
  'http.followRedirects=initial',
  'push.gpgSign=false',
  'push.followTags=false',
  'push.recurseSubmodules=no',
];

/** Pushes one commit to one branch; the branch must be where it is expected. */
export async function pushCommit(repoRoot: string, request: PushRequest): Promise<void> {
  const { forge, gitUrl, commit, branch, expected, signal } = request;
  const git = createGit({ cwd: repoRoot, signal });
  const ref = `refs/heads/${branch}`;
  const argv = [
    'push',
    '--quiet',
    '--no-verify',
    '--no-signed',
    `--force-with-lease=${ref}:${expected ?? ''}`,
  ];
  const access = await accessTo(forge, gitUrl);
  try {
    await git([...argv, gitUrl, `${commit}:${ref}`], access);
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof GitError)) throw error;
    throw describePush(error, request);
  }
}

/** Fetches a branch of the forge into a ref of this repository. Returns its commit. */
export async function fetchBranch(
  repoRoot: string,
  { forge, gitUrl, branch, ref, signal }: FetchRequest,
): Promise<string> {
  const git = createGit({ cwd: repoRoot, signal });
  const access = await accessTo(forge, gitUrl);
  const argv = ['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', gitUrl];
  try {
    await git([...argv, `+refs/heads/${branch}:${ref}`], { ...access, retryLocks: true });
    return printedValue(await git(['rev-parse', '--verify', `${ref}^{commit}`]));
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof GitError)) throw error;
    throw describeAccess(error, forge, gitUrl, `fetching from ${gitUrl}`);
  }
}

interface FetchRequest {
  readonly forge: Forge;
  readonly gitUrl: string;
  readonly branch: string;
  readonly ref: string;
  readonly signal: AbortSignal;
}

/** The helper answers for the host of the forge only: `url.….insteadOf` of a configuration may lead git to another one. */
async function accessTo(forge: Forge, gitUrl: string): Promise<GitCall> {
  const { user, secret } = await forge.pushSecret();
  const helper = `credential.${new URL(gitUrl).origin}.helper=${HELPER}`;
  const env = { [USER_VARIABLE]: user, [SECRET_VARIABLE]: secret, GIT_ASKPASS: '', SSH_ASKPASS: '' };
  return { settings: [...SETTINGS, helper], env };
}

function describePush(error: GitError, { forge, branch, gitUrl }: PushRequest): ForgeError {
  if (/stale info|rejected/i.test(error.detail))
    return new ForgeError({ kind: 'branch_moved', branch, reason: 'it was moved while conductor pushed' });
  return describeAccess(error, forge, gitUrl, `pushing to ${gitUrl}`);
}

function describeAccess({ detail }: GitError, forge: Forge, gitUrl: string, what: string): ForgeError {
  if (/Authentication failed|could not read Username|\b401\b/i.test(detail))
    return new ForgeError({ kind: 'token_refused', host: forge.host, source: 'the push' });
  if (/\b403\b|denied/i.test(detail)) return new ForgeError({ kind: 'forbidden', what, reason: detail });
  if (/not found|\b404\b/i.test(detail)) return new ForgeError({ kind: 'not_found', what: gitUrl });
  return new ForgeError({ kind: 'unreachable', host: forge.host, reason: detail });
}
