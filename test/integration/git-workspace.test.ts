import { existsSync } from 'node:fs';
import { readFile, rm, symlink } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { startRun } from './git-workspace-fixture.ts';

describe('commit', () => {
  it('commits what is there to the branch and leaves a clean status', async () => {
    const { run, workspaces, write, git, path, sha } = await startRun();
    await write('README.md', 'changed\n');
    await write('new/file.txt', 'new\n');
    await write('debug.log', 'ignored\n');
    await rm(path('src/old.ts'));
    const head = await workspaces.commit(run, 'a message\n\nwith a body');
    expect(await sha('refs/heads/conductor/run/demo/r1')).toBe(head);
    expect(await sha(`${head}^`)).toBe(run.baseSha);
    expect(await git('cat-file', 'commit', 'HEAD')).toMatch(/\n\na message\n\nwith a body\n?$/);
    expect(await git('status', '--porcelain')).toBe('');
    const names = await git('ls-tree', '-r', '--name-only', 'HEAD');
    expect(names.trim().split('\n')).toEqual(['.gitignore', 'README.md', 'new/file.txt', 'src/app.ts']);
  });

  it('returns the head of the branch when nothing has changed', async () => {
    const { run, workspaces, write } = await startRun();
    expect(await workspaces.commit(run, 'nothing')).toBe(run.baseSha);
    await write('a.txt', 'a\n');
    const head = await workspaces.commit(run, 'something');
    expect(await workspaces.commit(run, 'nothing more')).toBe(head);
  });

  it('commits to its own branch when the agent has left it', async () => {
    const { run, workspaces, write, git, sha, repo } = await startRun();
    await git('checkout', '--quiet', '-b', 'elsewhere');
    await write('a.txt', 'a\n');
    const head = await workspaces.commit(run, 'a');
    expect(await sha('refs/heads/conductor/run/demo/r1')).toBe(head);
    expect(await sha('elsewhere')).toBe(run.baseSha);
    expect(await git('status', '--porcelain=v1', '--branch')).toBe('## conductor/run/demo/r1\n');
    await repo.git('branch', '-D', 'elsewhere');
  });

  it('does not move another branch that its own was made a link to', async () => {
    const { run, workspaces, write, repo, sha } = await startRun();
    await repo.git('symbolic-ref', 'refs/heads/conductor/run/demo/r1', 'refs/heads/main');
    await write('a.txt', 'a\n');
    const head = await workspaces.commit(run, 'a');
    expect(await sha('main')).toBe(run.baseSha);
    expect(await sha('refs/heads/conductor/run/demo/r1')).toBe(head);
  });
});

describe('refs', () => {
  it('lists every ref but those below refs/conductor, and the branch HEAD is on', async () => {
    const { run, workspaces, repo } = await startRun(undefined, async (user) => {
      await user.git('tag', 'v1');
      await user.git('branch', 'feature');
    });
    await workspaces.snapshot(run, 'one');
    expect(await repo.git('for-each-ref', '--format=%(refname)', 'refs/conductor')).toBe(
      'refs/conductor/r1/one\n',
    );
    expect(await workspaces.refs(run)).toEqual({
      refs: {
        'refs/heads/conductor/run/demo/r1': run.baseSha,
        'refs/heads/feature': run.baseSha,
        'refs/heads/main': run.baseSha,
        'refs/tags/v1': run.baseSha,
      },
      head: 'refs/heads/conductor/run/demo/r1',
      headLogs: {
        [`${repo.root}/.git/logs/HEAD`]: expect.any(Number),
        [`${repo.root}/.git/conductor/moves`]: 0,
      },
    });
  });

  it('tells a detached HEAD, and a branch that the agent went to', async () => {
    const { run, workspaces, git, repo } = await startRun();
    await git('checkout', '--quiet', '--detach');
    expect((await workspaces.refs(run)).head).toBeNull();
    await git('checkout', '--quiet', '-b', 'elsewhere');
    expect(await workspaces.refs(run)).toMatchObject({
      refs: { 'refs/heads/elsewhere': run.baseSha },
      head: 'refs/heads/elsewhere',
    });
    await git('checkout', '--quiet', '--detach');
    await repo.git('branch', '-D', 'elsewhere');
  });
});

describe('a worktree that an agent took apart', () => {
  it('never makes the conductor work on the checkout around it', async () => {
    const { run, workspaces, path, write, sha } = await startRun();
    await rm(path('.git'));
    await write('a.txt', 'a\n');
    const { commit } = await workspaces.snapshot(run, 'one');
    expect(await sha(`${commit}:a.txt`)).toMatch(/^[0-9a-f]{40}$/);
    await workspaces.restore(run, { kind: 'base' }, 'one');
    expect(existsSync(path('a.txt'))).toBe(false);
    expect(await readFile(path('.git'), 'utf8')).toContain('.git/worktrees/r1');
  });

  it('is refused when it was replaced by a link to the checkout', async () => {
    const { run, workspaces, repo } = await startRun();
    await rm(run.worktreePath, { recursive: true });
    await symlink(repo.root, run.worktreePath);
    for (const attempt of [
      () => workspaces.snapshot(run, 'one'),
      () => workspaces.restore(run, { kind: 'base' }, 'one'),
      () => workspaces.commit(run, 'one'),
    ]) {
      await expect(attempt()).rejects.toThrow('is not a folder');
    }
  });
});
