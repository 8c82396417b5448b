import { cp, lstat, mkdir, readdir, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { GitError } from '../../src/adapters/git/git-command.ts';
import { createGitWorkspace } from '../../src/adapters/git/git-workspace.ts';
import { gitAt } from '../../testing/git-repo.ts';
import {
  FILES,
  listFiles,
  requestFor,
  startRun,
  temporaryFolder,
  testRepo,
  workspacesOf,
} from './git-workspace-fixture.ts';

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
        await rm(join(root, '.git/worktrees/r1/conductor'), { recursive: true });
        await rm(join(path, 'README.md'));
      },
    ],
  ])('makes the worktree again when %s', async (_says, damage) => {
    const { repo, run, workspaces, path, git } = await startRun();
    await damage(repo.root, run.worktreePath);
    await workspaces.reopen(run, null);
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
    await workspaces.reopen(run, null);
    expect(await read('README.md')).toBe('done\n');
  });

  it('leaves the files of a worktree that is there, and clears the lock of a dead git', async () => {
    const { repo, run, workspaces, write, read, path, git } = await startRun();
    await write('README.md', 'work\n');
    await writeFile(join(repo.root, '.git/worktrees/r1/index.lock'), '');
    await rm(path('.git'));
    await rm(path('.tnh'), { recursive: true });
    await workspaces.reopen(run, null);
    expect(await read('README.md')).toBe('work\n');
    expect((await lstat(path('.tnh/run/r1/harness'))).isSymbolicLink()).toBe(true);
    await git('add', 'README.md');
  });

  it('leaves the files of one that was whole, whoever says now that git is still making it', async () => {
    const { repo, run, workspaces, write, read } = await startRun();
    await write('README.md', 'work\n');
    await writeFile(join(repo.root, '.git/worktrees/r1/locked'), 'initializing\n');
    await workspaces.reopen(run, null);
    expect(await read('README.md')).toBe('work\n');
  });

  it('makes everything for a run that was recorded but never got that far', async () => {
    const repo = await testRepo();
    const workspaces = workspacesOf(repo);
    const run = workspaces.describe(await requestFor(repo, 'r1'));
    await workspaces.reopen(run, null);
    expect((await workspaces.refs(run)).refs[`refs/heads/${run.branchName}`]).toBe(run.baseSha);
    expect(Object.keys(await listFiles(run.worktreePath)).sort()).toEqual(Object.keys(FILES).sort());
  });

  it('refuses a folder with other files in it', async () => {
    const { repo, run, workspaces } = await startRun();
    await repo.git('worktree', 'remove', '--force', run.worktreePath);
    await mkdir(run.worktreePath);
    await writeFile(join(run.worktreePath, 'precious.txt'), 'x');
    await expect(workspaces.reopen(run, null)).rejects.toBeInstanceOf(GitError);
    expect(await readdir(run.worktreePath)).toEqual(['precious.txt']);
  });

  it('brings back what steps did when the folder was deleted', async () => {
    const { run, workspaces } = await startRun();
    await writeFile(join(run.worktreePath, 'a.txt'), 'changed\n');
    await writeFile(join(run.worktreePath, 'new.txt'), 'new\n');
    const { tree } = await workspaces.snapshot(run, 'work@1.after');
    await rm(run.worktreePath, { recursive: true });
    await workspaces.reopen(run, tree);
    expect(await readFile(join(run.worktreePath, 'new.txt'), 'utf8')).toBe('new\n');
    expect((await workspaces.snapshot(run, 'again')).tree).toBe(tree);
  });

  it('works where a copy of the repository is, and leaves the worktree of the original alone', async () => {
    const { repo, run, workspaces, read, write } = await startRun();
    await write('README.md', 'work\n');
    const link = await read('.git');
    const root = `${await temporaryFolder()}/copy`;
    await cp(repo.root, root, { recursive: true, verbatimSymlinks: true });
    const worktreesDir = join(root, '.tnh/worktrees');
    const copied = createGitWorkspace({ repoRoot: root, worktreesDir });
    const there = { ...run, repoRoot: root, worktreePath: join(worktreesDir, run.runId) };
    await copied.reopen(there, null);
    await writeFile(join(there.worktreePath, 'README.md'), 'other\n');
    await copied.commit(there, 'other work');
    expect(await gitAt(root, 'show', `${run.branchName}:README.md`)).toBe('other\n');
    expect([await read('.git'), await read('README.md')]).toEqual([link, 'work\n']);
    await workspaces.reopen(run, null);
    expect((await workspaces.refs(run)).refs[`refs/heads/${run.branchName}`]).toBe(run.baseSha);
  });

  it('moves aside what is no folder, and makes the worktree again', async () => {
    const { run, workspaces } = await startRun();
    const { tree } = await workspaces.snapshot(run, 'work@1.after');
    await rm(run.worktreePath, { recursive: true });
    await writeFile(run.worktreePath, 'in the way\n');
    await workspaces.reopen(run, tree);
    expect(await readFile(`${run.worktreePath}.displaced-1`, 'utf8')).toBe('in the way\n');
    expect((await workspaces.snapshot(run, 'again')).tree).toBe(tree);
  });
});
