import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Null if git can't be started. */
export async function readGitVersion(): Promise<string | null> {
  return run('git', ['--version']).then(
    ({ stdout }) => stdout.trim().replace(/^git version /, ''),
    () => null,
  );
}

export async function hasCommits(repoRoot: string): Promise<boolean> {
  return run('git', ['rev-parse', '--verify', '--quiet', 'HEAD'], { cwd: repoRoot }).then(
    () => true,
    () => false,
  );
}

/** Whether HEAD has this file. A partial clone must not fetch here, because that runs a program of its remote. */
export async function isCommitted(repoRoot: string, path: string): Promise<boolean> {
  const env = { ...process.env, GIT_NO_LAZY_FETCH: '1' };
  return run('git', ['rev-parse', '--verify', '--quiet', `HEAD:./${path}`], { cwd: repoRoot, env }).then(
    () => true,
    () => false,
  );
}

/** `user.name` of git's configuration; null if it is not set. */
export async function readGitUserName(repoRoot: string): Promise<string | null> {
  const name = await run('git', ['config', 'user.name'], { cwd: repoRoot }).then(
    ({ stdout }) => stdout.trim(),
    () => '',
  );
  return name === '' ? null : name;
}
