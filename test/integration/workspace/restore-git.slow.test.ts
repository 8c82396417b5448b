import { existsSync } from 'node:fs';
import { mkdir, readdir, readlink, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { gitAt } from '../../../testing/git-repo.ts';
import { listFiles, type Run, startRun, stubGit, temporaryFolder } from './fixture.ts';

/** Paths of what was moved out of the checkout. */
async function displacedIn({ run }: Run): Promise<string[]> {
  const folder = join(dirname(run.checkoutPath), 'displaced');
  const found: string[] = [];
  for (const item of await readdir(folder).catch(() => []))
    for (const name of await readdir(join(folder, item))) found.push(join(folder, item, name));
  return found;
}

describe('a restore, after an agent used git,', () => {
  it('moves the branch back and keeps the commits of the agent reachable', async () => {
    const { run, workspaces, write, git, store } = await startRun();
    await write('mine.txt', 'untracked\n');
    const { commit, tree } = await workspaces.snapshot(run, 'one');
    await write('a.txt', 'a\n');
    await git('add', 'a.txt');
    await git('commit', '--quiet', '--message=by the agent');
    const byAgent = (await git('rev-parse', 'HEAD')).trim();
    expect(byAgent).not.toBe(run.baseSha);
    const restored = await workspaces.restore(run, { kind: 'snapshot', commit }, 'one');
    expect(restored.after.tree).toBe(tree);
    expect(await git('rev-parse', 'conductor/run/demo/r1')).toBe(`${run.baseSha}\n`);
    expect(await git('status', '--porcelain')).toBe('?? mine.txt\n');
    await store('merge-base', '--is-ancestor', byAgent, restored.salvageRef);
  });

  it('puts HEAD back on the branch and keeps the commits of both, if the agent detached HEAD', async () => {
    const { run, workspaces, write, git, store } = await startRun();
    const { commit } = await workspaces.snapshot(run, 'one');
    const commits: string[] = [];
    for (const name of ['on the branch', 'elsewhere']) {
      if (name === 'elsewhere') await git('checkout', '--quiet', '--detach', run.baseSha);
      await write(`${name}.txt`, 'x\n');
      await git('add', '.');
      await git('commit', '--quiet', `--message=${name}`);
      commits.push((await git('rev-parse', 'HEAD')).trim());
    }
    const restored = await workspaces.restore(run, { kind: 'snapshot', commit }, 'one');
    expect(await git('symbolic-ref', 'HEAD')).toBe('refs/heads/conductor/run/demo/r1\n');
    expect(await git('rev-parse', 'HEAD')).toBe(`${run.baseSha}\n`);
    for (const made of commits) await store('merge-base', '--is-ancestor', made, restored.salvageRef);
  });

  it.each([
    ['is on a branch without commits', ['checkout', '--quiet', '--orphan', 'void']],
    ['has lost its branch', ['update-ref', '-d', 'refs/heads/conductor/run/demo/r1']],
  ])('works if the checkout %s', async (_says, command) => {
    const { run, workspaces, git } = await startRun();
    const before = await listFiles(run.checkoutPath);
    const { commit } = await workspaces.snapshot(run, 'one');
    await git(...command);
    await git('rm', '-r', '--quiet', '--force', '.');
    await workspaces.restore(run, { kind: 'snapshot', commit }, 'one');
    expect(await listFiles(run.checkoutPath)).toEqual(before);
    expect(await git('rev-parse', 'HEAD')).toBe(`${run.baseSha}\n`);
    expect(await git('status', '--porcelain=v1', '--branch')).toBe('## conductor/run/demo/r1\n');
  });

  it('ends an interrupted merge, and removes the locks of a killed git', async () => {
    const { run, workspaces, write, git, path } = await startRun();
    const { commit } = await workspaces.snapshot(run, 'one');
    await git('checkout', '--quiet', '--detach');
    await write('README.md', 'theirs\n');
    await git('commit', '--quiet', '--all', '--message=theirs');
    const theirs = (await git('rev-parse', 'HEAD')).trim();
    await git('checkout', '--quiet', 'conductor/run/demo/r1');
    await write('README.md', 'ours\n');
    await git('commit', '--quiet', '--all', '--message=ours');
    await expect(git('merge', theirs)).rejects.toThrow();
    for (const name of ['index.lock', 'HEAD.lock']) await writeFile(path(`.git/${name}`), '');
    await workspaces.restore(run, { kind: 'snapshot', commit }, 'one');
    expect(existsSync(path('.git/MERGE_HEAD'))).toBe(false);
    expect(await git('status')).toContain('nothing to commit, working tree clean');
  });

  it('removes a repository that the agent made, and keeps its git folder', async () => {
    const started = await startRun();
    const { run, workspaces, write, git, path } = started;
    const { commit } = await workspaces.snapshot(run, 'one');
    await git('init', '--quiet', 'nested/deep');
    await write('nested/deep/a.txt', 'a\n');
    await workspaces.restore(run, { kind: 'snapshot', commit }, 'one');
    expect(existsSync(path('nested'))).toBe(false);
    const [displaced = ''] = await displacedIn(started);
    expect(existsSync(join(displaced, 'HEAD'))).toBe(true);
  });

  it.each<[string, (run: Run) => Promise<unknown>]>([
    ['a folder', ({ write }) => write('broken/.git/HEAD', 'junk\n')],
    ['a file', ({ write }) => write('broken/.git', 'gitdir: /nowhere\n')],
  ])('removes a new folder whose .git is %s that is not a repository', async (_, make) => {
    const started = await startRun();
    const { run, workspaces, write, path } = started;
    const { commit } = await workspaces.snapshot(run, 'one');
    await make(started);
    await write('broken/a.txt', 'a\n');
    await workspaces.restore(run, { kind: 'snapshot', commit }, 'one');
    expect(existsSync(path('broken'))).toBe(false);
    expect(await displacedIn(started)).toHaveLength(1);
  });

  it('removes empty folders, but not the place of a submodule', async () => {
    const { run, workspaces, path, git } = await startRun(undefined, async (user) => {
      const link = `160000,${(await user.git('rev-parse', 'HEAD')).trim()},sub`;
      await user.git('update-index', '--add', '--cacheinfo', link);
      await user.git('commit', '--quiet', '--message=submodule');
    });
    const { commit } = await workspaces.snapshot(run, 'one');
    await mkdir(path('made/deep/er'), { recursive: true });
    await mkdir(path('src/hollow'), { recursive: true });
    await workspaces.restore(run, { kind: 'snapshot', commit }, 'one');
    expect(['made', 'src/hollow', 'sub'].map((name) => existsSync(path(name)))).toEqual([false, false, true]);
    expect(await git('status', '--porcelain')).toBe('');
  });

  it('works if the agent left an unreadable index', async () => {
    const { run, workspaces, write, read, git, path } = await startRun();
    await write('README.md', 'changed\n');
    await writeFile(path('.git/index'), 'junk');
    await workspaces.restore(run, { kind: 'base' }, 'one');
    expect(await read('README.md')).not.toBe('changed\n');
    expect(await git('status', '--porcelain')).toBe('');
  });

  it('works if the agent replaced the repository of the checkout', async () => {
    const started = await startRun();
    const { run, workspaces, write, path, git } = started;
    await rm(path('.git'), { recursive: true });
    await git('init', '--quiet', '.');
    await git('config', 'core.fsmonitor', 'evil');
    await write('a.txt', 'a\n');
    await workspaces.restore(run, { kind: 'base' }, 'one');
    expect(await git('status', '--porcelain=v1', '--branch')).toBe('## conductor/run/demo/r1\n');
    expect(await git('describe', '--all', '--exact-match')).toMatch(/^heads\//);
    expect(await git('config', 'core.fsmonitor')).toBe('false\n');
  });

  it('restores the link to the harness without following a link in its place', async () => {
    const { run, workspaces, path } = await startRun();
    const outside = await temporaryFolder();
    await rename(path('.tnh/run'), path('.tnh/away'));
    await symlink(outside, path('.tnh/run'));
    await workspaces.restore(run, { kind: 'base' }, 'one');
    expect(await readlink(path('.tnh/run/r1/harness'))).toBe(run.harnessDir);
    expect(await readdir(outside)).toEqual([]);
  });

  it('removes a submodule that the agent committed', async () => {
    const { run, workspaces, git, path } = await startRun();
    const before = await listFiles(run.checkoutPath);
    const { commit } = await workspaces.snapshot(run, 'one');
    await git('init', '--quiet', 'sub');
    await gitAt(
      path('sub'),
      '-c',
      'user.name=a',
      '-c',
      'user.email=a',
      'commit',
      '--quiet',
      '--allow-empty',
      '-m',
      'c',
    );
    await git('add', 'sub');
    await git('commit', '--quiet', '--message=submodule');
    await workspaces.restore(run, { kind: 'snapshot', commit }, 'one');
    expect(await listFiles(run.checkoutPath)).toEqual(before);
    expect(existsSync(path('sub'))).toBe(false);
  });

  it('restores the place of a submodule of the base', async () => {
    const { run, workspaces, path, git } = await startRun(undefined, async (user) => {
      const link = `160000,${(await user.git('rev-parse', 'HEAD')).trim()},sub`;
      await user.git('update-index', '--add', '--cacheinfo', link);
      await user.git('commit', '--quiet', '--message=submodule');
    });
    const { commit, tree } = await workspaces.snapshot(run, 'one');
    await git('init', '--quiet', 'sub');
    await gitAt(
      path('sub'),
      '-c',
      'user.name=a',
      '-c',
      'user.email=a',
      'commit',
      '--quiet',
      '--allow-empty',
      '-m',
      'c',
    );
    expect((await workspaces.snapshot(run, 'two')).tree).not.toBe(tree);
    await workspaces.restore(run, { kind: 'snapshot', commit }, 'one');
    expect(await readdir(path('sub'))).toEqual([]);
  });

  it.each([
    [
      'a commit that is not a snapshot',
      async ({ repo }: Run) => (await repo.git('commit-tree', 'HEAD^{tree}', '-m', 'mine')).trim(),
    ],
    ['an object that is not a commit', async (run: Run) => run.sha('HEAD^{tree}')],
    [
      'a snapshot of another run',
      async ({ workspaces, run, write }: Run) => {
        await write('new.txt', 'new\n');
        return (await workspaces.snapshot({ ...run, runId: 'r2' }, 'one')).commit;
      },
    ],
  ])('refuses %s and changes nothing', async (_says, find) => {
    const started = await startRun();
    const { run, workspaces, write, read, store } = started;
    const commit = await find(started);
    await write('README.md', 'work\n');
    await expect(workspaces.restore(run, { kind: 'snapshot', commit }, 'one')).rejects.toThrow();
    expect(await read('README.md')).toBe('work\n');
    expect(await store('for-each-ref', 'refs/conductor/salvage')).toBe('');
  });

  it('refuses to work on a branch that is not of a run', async () => {
    const { run, workspaces, write, sha } = await startRun();
    const wrong = { ...run, branchName: 'main' };
    await write('README.md', 'changed\n');
    const { tree } = await workspaces.snapshot(run, 'one');
    for (const attempt of [
      () => workspaces.restore(wrong, { kind: 'base' }, 'one'),
      () => workspaces.publish(wrong, { tree, message: 'x\n' }),
      () => workspaces.create({ ...wrong, runId: 'r2', checkoutPath: `${run.checkoutPath}/../../r2/work` }),
    ])
      await expect(attempt()).rejects.toThrow('main is not the branch of a run');
    expect(await sha('main')).toBe(run.baseSha);
  });

  it('fails if the files are not those of the snapshot afterwards', async () => {
    const { run, workspaces, write, path } = await startRun();
    const { commit } = await workspaces.snapshot(run, 'one');
    await write('README.md', 'changed\n');
    await stubGit(`$GIT "$@" || exit; case "$*" in *"--reset -u"*) echo lie > ${path('README.md')} ;; esac`);
    await expect(workspaces.restore(run, { kind: 'snapshot', commit }, 'one')).rejects.toThrow(
      /after restoring/,
    );
  });
});
