import { readFile, rm, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { gitAt } from '../../../testing/git-repo.ts';
import { FILES, listFiles, type Run, repoAt, startRun, temporaryFolder } from './fixture.ts';

async function namesIn(run: Run, tree: string): Promise<string[]> {
  const listed = await run.store('ls-tree', '-r', '-z', '--name-only', tree);
  return listed.split('\0').filter((name) => name !== '');
}

const BASE_NAMES = Object.keys(FILES).sort();

describe('a snapshot', () => {
  it('keeps tracked and untracked files as a commit on the base, under a ref of the store', async () => {
    const started = await startRun();
    const { run, workspaces, write, path, store, repo } = started;
    await write('README.md', 'changed\n');
    await write('new file.txt', 'new\n');
    await rm(path('src/old.ts'));
    const { commit, tree } = await workspaces.snapshot(run, 'implement@1');
    const names = ['refs/conductor/snapshot/implement@1', `${commit}^{tree}`, `${commit}^`];
    expect((await store('rev-parse', ...names)).split('\n')).toEqual([commit, tree, run.baseSha, '']);
    expect(await namesIn(started, tree)).toEqual(['.gitignore', 'README.md', 'new file.txt', 'src/app.ts']);
    expect(await store('show', `${commit}:README.md`)).toBe('changed\n');
    expect(await repo.git('log', '--all', '--format=%H')).toBe(`${run.baseSha}\n`);
  });

  it('can be read by its id in the checkout', async () => {
    const { run, workspaces, write, git } = await startRun();
    await write('new.txt', 'new\n');
    const { commit } = await workspaces.snapshot(run, 'one');
    expect(await git('show', `${commit}:new.txt`)).toBe('new\n');
  });

  it('leaves the index and the files of the checkout alone', async () => {
    const { run, workspaces, write, path, git } = await startRun();
    await write('README.md', 'staged\n');
    await git('add', 'README.md');
    await write('README.md', 'edited\n');
    const index = () => readFile(path('.git/index'));
    const before = [await index(), await listFiles(run.checkoutPath)];
    await workspaces.snapshot(run, 'one');
    expect([await index(), await listFiles(run.checkoutPath)]).toEqual(before);
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

  it('does not depend on earlier snapshots', async () => {
    const started = await startRun();
    const { run, workspaces, write } = started;
    await write('notes.txt', 'x\n');
    await workspaces.snapshot(run, 'one');
    await write('.gitignore', '*.txt\n');
    const { tree } = await workspaces.snapshot(run, 'two');
    expect(await namesIn(started, tree)).toEqual(BASE_NAMES);
  });

  it('sees a change of equal size in the second in which the index was written', async () => {
    const { run, workspaces, write, path } = await startRun(undefined, (user) =>
      user.git('config', 'core.trustctime', 'false'),
    );
    const index = join(dirname(run.checkoutPath), 'store/index');
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
    const { run, workspaces, write, store, git } = started;
    await write('debug.log', 'x');
    await workspaces.snapshot(run, 'before');
    await git(...command);
    await write('README.md', 'changed\n');
    const { commit, tree } = await workspaces.snapshot(run, 'after');
    expect(await store('show', `${commit}:README.md`)).toBe('changed\n');
    expect(await namesIn(started, tree)).toEqual(BASE_NAMES);
  });

  it('contains the files of a repository that the agent made inside, with or without a commit', async () => {
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

  it('works with a checkout and a base without any file', async () => {
    const started = await startRun({ files: {} });
    const empty = await started.workspaces.snapshot(started.run, 'empty');
    expect(await namesIn(started, empty.tree)).toEqual([]);
    await started.write('a', 'a');
    await started.workspaces.restore(started.run, { kind: 'snapshot', commit: empty.commit }, 'one');
    expect(await listFiles(started.run.checkoutPath)).toEqual({});
  });

  it('keeps the commits that the agent made, even if the agent deletes them', async () => {
    const { run, workspaces, write, git, store, path } = await startRun();
    await write('a.txt', 'a\n');
    await git('add', 'a.txt');
    await git('commit', '--quiet', '--message=by the agent');
    const byAgent = (await git('rev-parse', 'HEAD')).trim();
    const { commit } = await workspaces.snapshot(run, 'one');
    await git('reset', '--quiet', '--hard', run.baseSha);
    await git('reflog', 'expire', '--expire=now', '--all');
    await git('gc', '--quiet', '--prune=now');
    await rm(path('.git/objects'), { recursive: true });
    await store('merge-base', '--is-ancestor', byAgent, commit);
    expect(await store('show', `${byAgent}:a.txt`)).toBe('a\n');
    expect(await store('fsck', '--strict', '--no-dangling')).toBe('');
  });

  it('survives that the user deletes a branch with the same content and prunes', async () => {
    const { repo, run, workspaces, write, store, read } = await startRun();
    const twin = repoAt(join(await temporaryFolder(), 'twin'));
    await gitAt(repo.root, 'clone', '--quiet', repo.root, twin.root);
    for (const { write: put } of [twin, { write }]) {
      await put('src/same/deep.txt', 'the same content\n');
      await put('src/app.ts', 'also the same\n');
    }
    await twin.git('add', '--all');
    await twin.git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '--quiet', '--message=twin');
    await repo.git('fetch', '--quiet', '--no-write-fetch-head', twin.root, 'main:twin');
    const { commit, tree } = await workspaces.snapshot(run, 'one');
    expect(await repo.git('rev-parse', 'twin^{tree}')).toBe(`${tree}\n`);
    await repo.git('branch', '--quiet', '-D', 'twin');
    await repo.git('gc', '--quiet', '--prune=now');
    await expect(repo.git('cat-file', '-e', tree)).rejects.toThrow();
    expect(await store('fsck', '--strict', '--no-dangling')).toBe('');
    await write('src/same/deep.txt', 'changed\n');
    await workspaces.restore(run, { kind: 'snapshot', commit }, 'one');
    expect(await read('src/same/deep.txt')).toBe('the same content\n');
  });
});
