import { existsSync } from 'node:fs';
import { lstat, mkdir, readdir, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { GitError } from '../../src/adapters/git/git-command.ts';
import { gitAt } from '../../testing/git-repo.ts';
import { FILES, listFiles, requestFor, startRun, testRepo, workspacesOf } from './git-workspace-fixture.ts';

describe('reopen', () => {
  it.each([
    ['the folder is gone', async (_root: string, path: string) => rm(path, { recursive: true })],
    [
      'git has forgotten it',
      async (root: string, path: string) => gitAt(root, 'worktree', 'remove', '--force', path),
    ],
    [
      'it was locked and is gone',
      async (root: string, path: string) => {
        await gitAt(root, 'worktree', 'lock', path);
        await rm(path, { recursive: true });
      },
    ],
    [
      'folder and branch are gone',
      async (root: string, path: string) => {
        await gitAt(root, 'worktree', 'remove', '--force', path);
        await gitAt(root, 'branch', '-D', 'conductor/run/demo/r1');
      },
    ],
    [
      'git died while it made it',
      async (root: string, path: string) => {
        await writeFile(join(root, '.git/worktrees/r1/locked'), 'initializing\n');
        await rm(join(path, 'README.md'));
      },
    ],
  ])('makes the worktree again when %s', async (_says, damage) => {
    const { repo, run, workspaces, path, git } = await startRun();
    await damage(repo.root, run.worktreePath);
    await workspaces.reopen(run);
    expect(await readFile(path('README.md'), 'utf8')).toBe('# hello\n');
    expect(await readlink(path('.tnh/run/r1/harness'))).toBe(run.harnessDir);
    expect(await git('status', '--porcelain')).toBe('');
    expect((await workspaces.refs(run)).head).toBe('refs/heads/conductor/run/demo/r1');
  });

  it('makes it from the branch and not from the base', async () => {
    const { run, workspaces, write, read } = await startRun();
    await write('README.md', 'done\n');
    await workspaces.commit(run, 'work');
    await rm(run.worktreePath, { recursive: true });
    await workspaces.reopen(run);
    expect(await read('README.md')).toBe('done\n');
  });

  it('leaves the files of a worktree that is there, and clears the lock of a dead git', async () => {
    const { repo, run, workspaces, write, read, path, git } = await startRun();
    await write('README.md', 'work\n');
    await writeFile(join(repo.root, '.git/worktrees/r1/index.lock'), '');
    await rm(path('.git'));
    await rm(path('.tnh'), { recursive: true });
    await workspaces.reopen(run);
    expect(await read('README.md')).toBe('work\n');
    expect((await lstat(path('.tnh/run/r1/harness'))).isSymbolicLink()).toBe(true);
    await git('add', 'README.md');
  });

  it('makes everything for a run that was recorded but never got that far', async () => {
    const repo = await testRepo();
    const workspaces = workspacesOf(repo);
    const run = workspaces.describe(await requestFor(repo, 'r1'));
    await workspaces.reopen(run);
    expect((await workspaces.refs(run)).refs[`refs/heads/${run.branchName}`]).toBe(run.baseSha);
    expect(Object.keys(await listFiles(run.worktreePath)).sort()).toEqual(Object.keys(FILES).sort());
  });

  it('refuses a folder with other files in it', async () => {
    const { repo, run, workspaces } = await startRun();
    await repo.git('worktree', 'remove', '--force', run.worktreePath);
    await mkdir(run.worktreePath);
    await writeFile(join(run.worktreePath, 'precious.txt'), 'x');
    await expect(workspaces.reopen(run)).rejects.toBeInstanceOf(GitError);
    expect(await readdir(run.worktreePath)).toEqual(['precious.txt']);
  });
});

describe('discard', () => {
  it('takes away worktree, branch and snapshots, and is content when they are gone', async () => {
    const { run, workspaces, repo } = await startRun();
    await workspaces.snapshot(run, 'pre_run');
    await workspaces.discard(run);
    expect(existsSync(run.worktreePath)).toBe(false);
    expect(await repo.git('for-each-ref', 'refs/heads/conductor', 'refs/conductor')).toBe('');
    expect((await repo.git('worktree', 'list')).trim().split('\n')).toHaveLength(1);
    await workspaces.discard(run);
  });

  it('refuses when the branch has moved', async () => {
    const { run, workspaces, write, sha, read } = await startRun();
    await write('a.txt', 'a\n');
    const head = await workspaces.commit(run, 'a');
    await expect(workspaces.discard(run)).rejects.toThrow('has moved');
    expect(await sha('refs/heads/conductor/run/demo/r1')).toBe(head);
    expect(await read('a.txt')).toBe('a\n');
  });

  it('keeps files under a salvage ref that nobody expected there', async () => {
    const { run, workspaces, write, repo } = await startRun();
    await write('a.txt', 'precious\n');
    await workspaces.discard(run);
    expect(await repo.git('show', 'refs/conductor/salvage/r1/discard:a.txt')).toBe('precious\n');
  });

  it('does not touch a folder that is no worktree of the repository', async () => {
    const { run, workspaces, repo } = await startRun();
    await repo.git('worktree', 'remove', '--force', run.worktreePath);
    await mkdir(run.worktreePath);
    await writeFile(join(run.worktreePath, 'precious.txt'), 'x');
    await workspaces.discard(run);
    expect(await readdir(run.worktreePath)).toEqual(['precious.txt']);
  });
});
