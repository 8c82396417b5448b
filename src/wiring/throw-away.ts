import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A temporary checkout, deleted after use. */
export interface ThrowAway {
  /** A checkout of the repository's last commit; empty if it has no commits. */
  readonly worktree: string;
  readonly runDir: string;
  readonly remove: () => Promise<void>;
}

/** Uses a clone, so that nothing done there affects the repository. */
export async function makeThrowAway(repoRoot: string): Promise<ThrowAway> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'conductor-try-')));
  const remove = () => rm(root, { recursive: true, force: true });
  const worktree = join(root, 'worktree');
  const runDir = join(root, 'run');
  try {
    await mkdir(join(runDir, 'harness'), { recursive: true });
    const git = (...args: string[]) => run('git', args, { env: gitEnvironment() });
    const started = await git('-C', repoRoot, 'rev-parse', '--verify', '--quiet', 'HEAD^{commit}').then(
      () => true,
      () => false,
    );
    if (started) {
      await git('-c', 'core.hooksPath=/dev/null', 'clone', '--quiet', '--shared', repoRoot, worktree);
      await git('-C', worktree, 'remote', 'remove', 'origin');
    } else await git('init', '--quiet', '--initial-branch=main', worktree);
    return { worktree, runDir, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

function gitEnvironment(): NodeJS.ProcessEnv {
  const outside = Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_'));
  return {
    ...Object.fromEntries(outside),
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_LFS_SKIP_SMUDGE: '1',
    GIT_TERMINAL_PROMPT: '0',
  };
}
