import { existsSync } from 'node:fs';
import { mkdir, readdir, readlink, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { gitAt } from '../../testing/git-repo.ts';
import { listFiles, type Run, startRun, stubGit } from './git-workspace-fixture.ts';

async function displacedIn(run: Run): Promise<string[]> {
  return (await readdir(run.path('.tnh/run/r1'))).filter((name) => name.startsWith('displaced-'));
}

describe('restore, after an agent used git itself,', () => {
  it('takes the branch back behind the commits of the agent and keeps them reachable', async () => {
    const { run, workspaces, write, git, sha, repo } = await startRun();
    await write('mine.txt', 'untracked\n');
    const { commit, tree } = await workspaces.snapshot(run, 'one');
    await write('a.txt', 'a\n');
    await git('add', 'a.txt');
    await git('commit', '--quiet', '--message=by the agent');
    const byAgent = await sha('refs/heads/conductor/run/demo/r1');
    expect(byAgent).not.toBe(run.baseSha);
    const restored = await workspaces.restore(run, { kind: 'snapshot', commit }, 'one');
    expect(restored.after.tree).toBe(tree);
    expect(await sha('refs/heads/conductor/run/demo/r1')).toBe(run.baseSha);
    expect(await git('status', '--porcelain')).toBe('?? mine.txt\n');
    await repo.git('merge-base', '--is-ancestor', byAgent, restored.salvageRef);
  });

  it('puts HEAD back on the branch and keeps both lines of commits when the agent went elsewhere', async () => {
    const { run, workspaces, write, git, sha, repo } = await startRun();
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
    expect(await sha('refs/heads/conductor/run/demo/r1')).toBe(run.baseSha);
    for (const made of commits) await repo.git('merge-base', '--is-ancestor', made, restored.salvageRef);
  });

  it.each([
    ['is on a branch without commits', ['checkout', '--quiet', '--orphan', 'void']],
    ['has lost its branch', ['update-ref', '-d', 'refs/heads/conductor/run/demo/r1']],
  ])('works when the worktree %s', async (_says, command) => {
    const { run, workspaces, git, sha } = await startRun();
    const before = await listFiles(run.worktreePath);
    const { commit } = await workspaces.snapshot(run, 'one');
    await git(...command);
    await git('rm', '-r', '--quiet', '--force', '.');
    await workspaces.restore(run, { kind: 'snapshot', commit }, 'one');
    expect(await listFiles(run.worktreePath)).toEqual(before);
    expect(await sha('refs/heads/conductor/run/demo/r1')).toBe(run.baseSha);
    expect(await git('status', '--porcelain=v1', '--branch')).toBe('## conductor/run/demo/r1\n');
  });

  it('ends a merge that stopped half way and does not wait for the locks of a dead git', async () => {
    const { run, workspaces, write, git, repo } = await startRun();
    const { commit } = await workspaces.snapshot(run, 'one');
    await git('checkout', '--quiet', '--detach');
    await write('README.md', 'theirs\n');
    await git('commit', '--quiet', '--all', '--message=theirs');
    const theirs = (await git('rev-parse', 'HEAD')).trim();
    await git('checkout', '--quiet', 'conductor/run/demo/r1');
    await write('README.md', 'ours\n');
    await git('commit', '--quiet', '--all', '--message=ours');
    await expect(git('merge', theirs)).rejects.toThrow();
    const admin = join(repo.root, '.git/worktrees/r1');
    for (const name of ['index.lock', 'HEAD.lock']) await writeFile(join(admin, name), '');
    await workspaces.restore(run, { kind: 'snapshot', commit }, 'one');
    expect(existsSync(join(admin, 'MERGE_HEAD'))).toBe(false);
    expect(await git('status')).toContain('nothing to commit, working tree clean');
  });

  it('takes a repository that the agent made away, and keeps what git cannot', async () => {
    const started = await startRun();
    const { run, workspaces, write, git, path } = started;
    const { commit } = await workspaces.snapshot(run, 'one');
    await git('init', '--quiet', 'nested/deep');
    await write('nested/deep/a.txt', 'a\n');
    await workspaces.restore(run, { kind: 'snapshot', commit }, 'one');
    expect(existsSync(path('nested'))).toBe(false);
    const [displaced] = await displacedIn(started);
    expect(existsSync(path(`.tnh/run/r1/${displaced}/content/HEAD`))).toBe(true);
  });

  it.each<[string, (run: Run) => Promise<unknown>]>([
    ['a folder', ({ write }) => write('broken/.git/HEAD', 'junk\n')],
    ['a file', ({ write }) => write('broken/.git', 'gitdir: /nowhere\n')],
  ])('takes a new folder away whose .git is %s that is no repository', async (_, make) => {
    const started = await startRun();
    const { run, workspaces, write, path } = started;
    const { commit } = await workspaces.snapshot(run, 'one');
    await make(started);
    await write('broken/a.txt', 'a\n');
    await workspaces.restore(run, { kind: 'snapshot', commit }, 'one');
    expect(existsSync(path('broken'))).toBe(false);
    expect(await displacedIn(started)).toHaveLength(1);
  });

  it('takes empty folders away, but not the place of a submodule', async () => {
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

  it('goes back where the agent left an index that nobody can read', async () => {
    const { run, workspaces, write, read, git } = await startRun();
    const index = (await git('rev-parse', '--path-format=absolute', '--git-path', 'index')).trim();
    await write('README.md', 'changed\n');
    await writeFile(index, 'junk');
    await workspaces.restore(run, { kind: 'base' }, 'one');
    expect(await read('README.md')).not.toBe('changed\n');
    expect(await git('status', '--porcelain')).toBe('');
  });

  it('replaces a repository that the agent put over the worktree itself', async () => {
    const started = await startRun();
    const { run, workspaces, write, path, git } = started;
    await rm(path('.git'));
    await git('init', '--quiet', '.');
    await write('a.txt', 'a\n');
    await workspaces.restore(run, { kind: 'base' }, 'one');
    expect(await git('symbolic-ref', 'HEAD')).toBe('refs/heads/conductor/run/demo/r1\n');
    expect(await displacedIn(started)).toHaveLength(1);
  });

  it('puts the link to the harness back without following what stands in its place', async () => {
    const { run, workspaces, path, repo } = await startRun();
    await rename(path('.tnh/run'), path('.tnh/away'));
    await mkdir(join(repo.root, '.tnh/outside'));
    await symlink(join(repo.root, '.tnh/outside'), path('.tnh/run'));
    await workspaces.restore(run, { kind: 'base' }, 'one');
    expect(await readlink(path('.tnh/run/r1/harness'))).toBe(run.harnessDir);
    expect(await readdir(join(repo.root, '.tnh/outside'))).toEqual([]);
  });

  it('goes back over a submodule that the agent committed', async () => {
    const { run, workspaces, git, path } = await startRun();
    const before = await listFiles(run.worktreePath);
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
    expect(await listFiles(run.worktreePath)).toEqual(before);
    expect(existsSync(path('sub'))).toBe(false);
  });

  it('goes back to the commit of a submodule of the base', async () => {
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
    ['a commit of somebody else', async (run: Run) => run.run.baseSha],
    ['something that is no commit', async (run: Run) => run.sha('HEAD^{tree}')],
    [
      'a snapshot of another run',
      async (run: Run) => {
        const other = { ...run.run, runId: 'r2' };
        return (await run.workspaces.snapshot(other, 'one')).commit;
      },
    ],
  ])('refuses %s and changes nothing', async (_says, find) => {
    const started = await startRun();
    const { run, workspaces, write, read, repo } = started;
    const commit = await find(started);
    await write('README.md', 'work\n');
    await expect(workspaces.restore(run, { kind: 'snapshot', commit }, 'one')).rejects.toThrow();
    expect(await read('README.md')).toBe('work\n');
    expect(await repo.git('for-each-ref', 'refs/conductor/salvage')).toBe('');
  });

  it('refuses to move a branch that is not of a run', async () => {
    const { run, workspaces, sha } = await startRun();
    const wrong = { ...run, branchName: 'main' };
    await expect(workspaces.restore(wrong, { kind: 'base' }, 'one')).rejects.toThrow('not a branch of a run');
    await expect(workspaces.commit(wrong, 'x')).rejects.toThrow('not a branch of a run');
    expect(await sha('main')).toBe(run.baseSha);
  });

  it('fails loudly when the files did not come out as they should', async () => {
    const { run, workspaces, write, path } = await startRun();
    const { commit } = await workspaces.snapshot(run, 'one');
    await write('README.md', 'changed\n');
    await stubGit(`$GIT "$@" || exit; case "$*" in *"--reset -u"*) echo lie > ${path('README.md')} ;; esac`);
    await expect(workspaces.restore(run, { kind: 'snapshot', commit }, 'one')).rejects.toThrow(
      /after going back/,
    );
  });
});
