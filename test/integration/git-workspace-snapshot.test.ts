import { readFile, rm, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { gitAt } from '../../testing/git-repo.ts';
import { FILES, listFiles, type Run, startRun } from './git-workspace-fixture.ts';

async function namesIn(run: Run, tree: string): Promise<string[]> {
  const listed = await run.repo.git('ls-tree', '-r', '-z', '--name-only', tree);
  return listed.split('\0').filter((name) => name !== '');
}

const BASE_NAMES = Object.keys(FILES).sort();

describe('snapshot', () => {
  it('keeps tracked and untracked files as a commit on top of HEAD, under a ref of its own', async () => {
    const started = await startRun();
    const { run, workspaces, write, path, sha, repo } = started;
    await write('README.md', 'changed\n');
    await write('new file.txt', 'new\n');
    await rm(path('src/old.ts'));
    const { commit, tree } = await workspaces.snapshot(run, 'implement@1');
    expect(await sha('refs/conductor/r1/implement@1')).toBe(commit);
    expect(await sha(`${commit}^{tree}`)).toBe(tree);
    expect(await sha(`${commit}^`)).toBe(run.baseSha);
    expect(await namesIn(started, tree)).toEqual(['.gitignore', 'README.md', 'new file.txt', 'src/app.ts']);
    expect(await repo.git('show', `${commit}:README.md`)).toBe('changed\n');
    expect(await sha('refs/heads/conductor/run/demo/r1')).toBe(run.baseSha);
  });

  it('leaves the index of the worktree and its files alone', async () => {
    const { run, workspaces, write, repo, git } = await startRun();
    await write('README.md', 'staged\n');
    await git('add', 'README.md');
    await write('README.md', 'edited\n');
    const index = () => readFile(join(repo.root, '.git/worktrees/r1/index'));
    const before = [await index(), await listFiles(run.worktreePath)];
    await workspaces.snapshot(run, 'one');
    expect([await index(), await listFiles(run.worktreePath)]).toEqual(before);
    expect(await git('status', '--porcelain')).toBe('MM README.md\n');
  });

  it('leaves out ignored files and the run folder', async () => {
    const started = await startRun();
    await started.write('debug.log', 'x');
    await started.write('node_modules/a/index.js', 'x');
    await started.write('.tnh/run/r1/notes.txt', 'x');
    await started.write('.tnh/kept.txt', 'x');
    await rm(started.path('.tnh/run/.gitignore'));
    const { tree } = await started.workspaces.snapshot(started.run, 'one');
    expect(await namesIn(started, tree)).toEqual([...BASE_NAMES, '.tnh/kept.txt'].sort());
  });

  it('gives the same tree for the same files', async () => {
    const { run, workspaces, write } = await startRun();
    await write('a.txt', 'a\n');
    const first = await workspaces.snapshot(run, 'one');
    await write('a.txt', 'b\n');
    expect((await workspaces.snapshot(run, 'two')).tree).not.toBe(first.tree);
    await write('a.txt', 'a\n');
    expect((await workspaces.snapshot(run, 'three')).tree).toBe(first.tree);
  });

  it('does not depend on what earlier snapshots held', async () => {
    const started = await startRun();
    const { run, workspaces, write } = started;
    await write('notes.txt', 'x\n');
    await workspaces.snapshot(run, 'one');
    await write('.gitignore', '*.txt\n');
    const { tree } = await workspaces.snapshot(run, 'two');
    expect(await namesIn(started, tree)).toEqual(BASE_NAMES);
  });

  it('sees a change of equal size in the second in which the index was written', async () => {
    const { run, workspaces, write, path, repo } = await startRun(undefined, (user) =>
      user.git('config', 'core.trustctime', 'false'),
    );
    const index = join(repo.root, '.git/worktrees/r1/conductor/index');
    const second = Math.floor(Date.now() / 1000) - 60;
    const snapshotAfter = async (text: string) => {
      await write('README.md', text);
      await utimes(path('README.md'), second, second);
      const { tree } = await workspaces.snapshot(run, 'again');
      await utimes(index, second, second);
      return tree;
    };
    const first = await snapshotAfter('# hello\n');
    expect(await snapshotAfter('# jello\n')).not.toBe(first);
    expect(await snapshotAfter('# hello\n')).toBe(first);
  });

  it.each([
    ['marks a file as unchanged', ['update-index', '--assume-unchanged', 'README.md']],
    ['marks a file as not checked out', ['update-index', '--skip-worktree', 'README.md']],
    ['takes a file out of the index', ['rm', '--quiet', '--cached', 'README.md']],
    ['puts an ignored file into the index', ['add', '--force', 'debug.log']],
  ])('is not fooled by an agent that %s', async (_says, command) => {
    const started = await startRun();
    const { run, workspaces, write, repo, git } = started;
    await write('debug.log', 'x');
    await workspaces.snapshot(run, 'before');
    await git(...command);
    await write('README.md', 'changed\n');
    const { commit, tree } = await workspaces.snapshot(run, 'after');
    expect(await repo.git('show', `${commit}:README.md`)).toBe('changed\n');
    expect(await namesIn(started, tree)).toEqual(BASE_NAMES);
  });

  it('takes in the files of a repository that the agent made inside, with or without a commit', async () => {
    const started = await startRun();
    const { run, workspaces, write, git, path } = started;
    await git('init', '--quiet', 'outer');
    await git('init', '--quiet', 'outer/inner');
    await write('outer/a.txt', 'a\n');
    await write('outer/inner/b.txt', 'b\n');
    await git('init', '--quiet', 'committed');
    await write('committed/c.txt', 'c\n');
    await gitAt(path('committed'), 'add', '.');
    await gitAt(path('committed'), '-c', 'user.name=a', '-c', 'user.email=a', 'commit', '--quiet', '-m', 'c');
    const { tree } = await workspaces.snapshot(run, 'one');
    const names = [...BASE_NAMES, 'committed/c.txt', 'outer/a.txt', 'outer/inner/b.txt'];
    expect(await namesIn(started, tree)).toEqual(names.sort());
  });

  it('works on a worktree and a base without any file', async () => {
    const started = await startRun({ files: {} });
    const empty = await started.workspaces.snapshot(started.run, 'empty');
    expect(await namesIn(started, empty.tree)).toEqual([]);
    await started.write('a', 'a');
    await started.workspaces.restore(started.run, { kind: 'snapshot', commit: empty.commit }, 'one');
    expect(await listFiles(started.run.worktreePath)).toEqual({});
  });
});
