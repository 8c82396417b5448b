import { existsSync } from 'node:fs';
import { lstat, mkdir, readdir, readFile, readlink, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { GitError } from '../../../src/adapters/workspace/git/git-command.ts';
import {
  FILES,
  listFiles,
  placesOf,
  type Run,
  requestFor,
  startRun,
  testRepo,
  workspacesOf,
} from './fixture.ts';

const folderOf = ({ run }: Run) => dirname(run.checkoutPath);

describe('a reopened workspace', () => {
  it.each<[string, (run: Run) => Promise<unknown>]>([
    ['was never created', async (run) => rm(folderOf(run), { recursive: true })],
    [
      'was left half created by a process that died',
      async (run) => {
        await rm(join(folderOf(run), 'origin'));
        await rm(run.path('README.md'));
      },
    ],
    ['has lost its checkout', async ({ run }) => rm(run.checkoutPath, { recursive: true })],
    [
      'has lost its checkout and its judge checkout',
      async (run) => {
        await rm(run.run.checkoutPath, { recursive: true });
        await rm(run.run.judgePath, { recursive: true, force: true });
      },
    ],
    ['has lost the .git of its checkout', async ({ path }) => rm(path('.git'), { recursive: true })],
  ])('is complete again if it %s', async (_says, damage) => {
    const started = await startRun();
    const { run, workspaces, path, git, repo } = started;
    await damage(started);
    await workspaces.reopen(run, null);
    expect(await listFiles(run.checkoutPath)).toEqual(await listFiles(repo.root));
    expect(await readlink(path('.tnh/run/r1/harness'))).toBe(run.harnessDir);
    expect(await git('status', '--porcelain', '--branch')).toBe('## conductor/run/demo/r1\n');
    const { tree } = await workspaces.snapshot(run, 'one');
    expect(await repo.git('rev-parse', 'HEAD^{tree}')).toBe(`${tree}\n`);
  });

  it('is created for a run that was recorded, but died before it had a workspace', async () => {
    const repo = await testRepo();
    const workspaces = await workspacesOf(repo);
    const run = workspaces.describe(await requestFor(repo, 'r1'));
    await workspaces.reopen(run, null);
    expect(Object.keys(await listFiles(run.checkoutPath)).sort()).toEqual(Object.keys(FILES).sort());
  });

  it('has the files of the steps again if its checkout was deleted', async () => {
    const { run, workspaces, write, read, git } = await startRun();
    await write('README.md', 'changed\n');
    await write('new.txt', 'new\n');
    const { tree } = await workspaces.snapshot(run, 'work@1.after');
    await rm(run.checkoutPath, { recursive: true });
    await workspaces.reopen(run, tree);
    expect([await read('README.md'), await read('new.txt')]).toEqual(['changed\n', 'new\n']);
    expect((await workspaces.snapshot(run, 'again')).tree).toBe(tree);
    expect(await git('status', '--porcelain')).toBe(' M README.md\n?? new.txt\n');
  });

  it('keeps changed files, removes locks of a killed git, and restores what conductor needs', async () => {
    const { repo, run, workspaces, write, read, path, git } = await startRun();
    await write('README.md', 'work\n');
    const locks = [
      path('.git/index.lock'),
      join(folderOf({ run } as Run), 'store/index.lock'),
      join(repo.root, '.git/refs/conductor/base/r1.lock'),
      join(repo.root, '.git/refs/heads/conductor/run/demo/r1.lock'),
    ];
    for (const lock of locks) {
      await mkdir(dirname(lock), { recursive: true });
      await writeFile(lock, '');
    }
    await rm(path('.tnh'), { recursive: true });
    await workspaces.reopen(run, null);
    expect(await read('README.md')).toBe('work\n');
    expect((await lstat(path('.tnh/run/r1/harness'))).isSymbolicLink()).toBe(true);
    expect(locks.filter((lock) => existsSync(lock))).toEqual([]);
    await git('add', 'README.md');
  });

  it('leaves locks of others alone', async () => {
    const { repo, run, workspaces } = await startRun();
    const locks = ['index.lock', 'packed-refs.lock', 'refs/conductor/base/r2.lock'];
    for (const lock of locks) await writeFile(join(repo.root, '.git', lock), '');
    await workspaces.reopen(run, null);
    expect(locks.filter((lock) => existsSync(join(repo.root, '.git', lock)))).toEqual(locks);
    for (const lock of locks) await rm(join(repo.root, '.git', lock));
  });

  it('moves a file aside that is in the place of its checkout', async () => {
    const started = await startRun();
    const { run, workspaces } = started;
    const { tree } = await workspaces.snapshot(run, 'work@1.after');
    await rm(run.checkoutPath, { recursive: true });
    await writeFile(run.checkoutPath, 'in the way\n');
    await workspaces.reopen(run, tree);
    const displaced = join(folderOf(started), 'displaced');
    const [item = ''] = await readdir(displaced);
    expect(await readFile(join(displaced, item, 'work'), 'utf8')).toBe('in the way\n');
    expect((await workspaces.snapshot(run, 'again')).tree).toBe(tree);
  });

  it('is refused, with its path, if it is not there and steps have changed files', async () => {
    const started = await startRun();
    const { run, workspaces, write, repo } = started;
    await write('new.txt', 'new\n');
    const { tree } = await workspaces.snapshot(run, 'work@1.after');
    const elsewhere = join((await placesOf(repo)).workspacesDir, 'unmounted');
    await rename(folderOf(started), elsewhere);
    const reopened = workspaces.reopen(run, tree);
    await expect(reopened).rejects.toBeInstanceOf(GitError);
    await expect(reopened).rejects.toThrow(
      `the workspace ${run.checkoutPath} isn't visible from this machine or container`,
    );
    expect(existsSync(folderOf(started))).toBe(false);
    await rename(elsewhere, folderOf(started));
    await workspaces.reopen(run, tree);
    expect((await workspaces.snapshot(run, 'again')).tree).toBe(tree);
  });
});
