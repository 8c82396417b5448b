import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { DemoRepository } from '../app/services.ts';

const run = promisify(execFile);

/** Creates a temporary repository with a small program, a failing test and a workflow to fix it. */
export async function makeDemoRepository(packageRoot: string): Promise<DemoRepository> {
  const root = await mkdtemp(join(tmpdir(), 'conductor-demo-'));
  try {
    await cp(join(packageRoot, 'examples', 'demo', 'repository'), root, { recursive: true });
    const git = (...args: string[]) => run('git', ['-C', root, ...args], { env: gitEnvironment() });
    await git('init', '--quiet', '--initial-branch=main');
    await git('add', '--all');
    await git(
      'commit',
      '--quiet',
      '--no-verify',
      '--no-gpg-sign',
      '--message',
      'A program with a failing test',
    );
    return { root, workflowPath: join(root, '.tnh', 'workflow.yaml') };
  } catch (error) {
    await rm(root, { recursive: true, force: true });
    throw error;
  }
}

/** Ignores the user's git configuration, so that the demo is the same everywhere. */
function gitEnvironment(): NodeJS.ProcessEnv {
  const outside = Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_'));
  const who = { NAME: 'conductor demo', EMAIL: 'demo@localhost' };
  return {
    ...Object.fromEntries(outside),
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_NAME: who.NAME,
    GIT_AUTHOR_EMAIL: who.EMAIL,
    GIT_COMMITTER_NAME: who.NAME,
    GIT_COMMITTER_EMAIL: who.EMAIL,
  };
}
