import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { pathExists } from '../../node/path-exists.ts';
import type { TemporaryCheckout } from '../../ports/workspace/temporary-checkout.ts';

const run = promisify(execFile);

/** Clones the repository, so that nothing done in the checkout affects it. */
export async function makeTemporaryCheckout(repoRoot: string): Promise<TemporaryCheckout> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'conductor-try-')));
  const remove = () => rm(root, { recursive: true, force: true });
  const checkout = join(root, 'checkout');
  const runDir = join(root, 'run');
  try {
    await mkdir(join(runDir, 'harness'), { recursive: true });
    const git = (...args: string[]) => run('git', args, { env: gitEnvironment(CLONE_VARIABLES) });
    const hasCommits = await git('-C', repoRoot, 'rev-parse', '--verify', '--quiet', 'HEAD^{commit}').then(
      () => true,
      () => false,
    );
    if (hasCommits) {
      await git('-c', 'core.hooksPath=/dev/null', 'clone', '--quiet', '--shared', repoRoot, checkout);
      await git('-C', checkout, 'remote', 'remove', 'origin');
    } else await git('init', '--quiet', '--initial-branch=main', checkout);
  } catch (error) {
    await remove();
    throw error;
  }
  return {
    path: checkout,
    runDir,
    makeFolder: async (path) => {
      await mkdir(path, { recursive: true });
    },
    read: (path) => readFile(join(checkout, path), 'utf8').catch(() => null),
    exists: (path) => pathExists(join(checkout, path)),
    remove,
  };
}

/** Creates a temporary repository with one commit, from the files of a folder. Returns its path. */
export async function makeDemoRepository(sourceFolder: string): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'conductor-demo-'));
  try {
    await cp(sourceFolder, root, { recursive: true });
    const git = (...args: string[]) => run('git', ['-C', root, ...args], { env: gitEnvironment(AUTHOR) });
    await git('init', '--quiet', '--initial-branch=main');
    await git('add', '--all');
    const message = 'A program with a failing test';
    await git('commit', '--quiet', '--no-verify', '--no-gpg-sign', '--message', message);
    return root;
  } catch (error) {
    await rm(root, { recursive: true, force: true });
    throw error;
  }
}

const CLONE_VARIABLES = { GIT_LFS_SKIP_SMUDGE: '1', GIT_TERMINAL_PROMPT: '0' };

const AUTHOR = {
  GIT_AUTHOR_NAME: 'conductor demo',
  GIT_AUTHOR_EMAIL: 'demo@localhost',
  GIT_COMMITTER_NAME: 'conductor demo',
  GIT_COMMITTER_EMAIL: 'demo@localhost',
};

/** Ignores the user's git configuration, so that the result is the same everywhere. */
function gitEnvironment(variables: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const outside = Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_'));
  return {
    ...Object.fromEntries(outside),
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    ...variables,
  };
}
