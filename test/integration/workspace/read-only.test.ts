import { execFile, execFileSync } from 'node:child_process';
import { chmod, chown, lstat, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import {
  createRun,
  placesOf,
  readUserSide,
  requestFor,
  startRun,
  testRepo,
  workspacesOf,
} from './fixture.ts';

const AGENT_UID = 65_534;

/** Starts processes as another user; only root can. */
function canSwitchUser(): boolean {
  try {
    execFileSync('setpriv', ['--version'], { stdio: 'ignore' });
    return process.getuid?.() === 0;
  } catch {
    return false;
  }
}

async function chownAll(path: string): Promise<void> {
  await chown(path, AGENT_UID, AGENT_UID);
  if ((await lstat(path)).isDirectory())
    for (const name of await readdir(path)) await chownAll(join(path, name)).catch(() => undefined);
}

// Needs root, because another user has to run git.
describe.skipIf(!canSwitchUser())('an agent of another user, who can only read the repository,', () => {
  it('works with git in its checkout, and conductor takes its work over', async () => {
    const run = await startRun(undefined, (repo) => repo.git('tag', 'v1'));
    const { repo, run: workspace } = run;
    const { workspacesDir } = await placesOf(repo);
    for (const path of [dirname(repo.root), workspacesDir]) await chmod(path, 0o755);
    await chownAll(workspace.checkoutPath);
    const agent = async (script: string) => {
      const user = ['--reuid', String(AGENT_UID), '--regid', String(AGENT_UID), '--clear-groups'];
      const env = { PATH: process.env.PATH, HOME: '/nonexistent', LC_ALL: 'C' };
      const options = { cwd: workspace.checkoutPath, env };
      return (await promisify(execFile)('setpriv', [...user, 'sh', '-ec', script], options)).stdout;
    };
    await expect(agent(`touch ${repo.root}/.git/evil`)).rejects.toThrow('Permission denied');
    await expect(agent(`touch ${dirname(workspace.checkoutPath)}/store/evil`)).rejects.toThrow(
      'Permission denied',
    );
    const shown = await agent(`
      git status --porcelain; git describe --tags; git log --format=%s
      echo changed > README.md; echo new > new.txt
      git add --all; git commit --quiet --message=agent; git gc --quiet; git fsck --no-dangling
      git checkout --quiet --detach main; git checkout --quiet conductor/run/demo/r1
      git rev-list --count main..HEAD`);
    expect(shown).toBe('v1\nstart\n1\n');
    const { tree } = await run.workspaces.snapshot(workspace, 'one');
    const { commit } = await run.workspaces.publish(workspace, { tree, message: 'work\n' });
    expect(await repo.git('diff', '--name-only', 'main', commit)).toBe('README.md\nnew.txt\n');
    await run.workspaces.restore(workspace, { kind: 'base' }, 'a@1');
    expect(await readFile(run.path('README.md'), 'utf8')).toBe('# hello\n');
  });
});

describe('a repository that conductor itself can only read', () => {
  // Root may write everywhere.
  it.skipIf(process.getuid?.() === 0)('is refused with the reason, and nothing is left', async () => {
    const repo = await testRepo();
    const request = await requestFor(repo, 'r1');
    const before = await readUserSide(repo.root);
    await chmod(join(repo.root, '.git'), 0o500);
    const workspaces = await workspacesOf(repo);
    await expect(createRun(workspaces, request)).rejects.toMatchObject({
      code: 'EACCES',
      path: join(repo.root, '.git'),
    });
    await chmod(join(repo.root, '.git'), 0o700);
    expect(await readUserSide(repo.root)).toEqual(before);
    await expect(readdir((await placesOf(repo)).workspacesDir)).rejects.toThrow('ENOENT');
    await writeFile(join(repo.root, 'README.md'), '# hello\n');
  });
});
