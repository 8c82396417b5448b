import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type GitRepo, gitAt } from '../../../testing/git-repo.ts';
import { FILES, listFiles, type Run, repoAt, startRunIn, temporaryFolder, testRepo } from './fixture.ts';
import { watchWhile } from './watch-while.ts';

/** A repository with three commits and a tag, to clone from. */
async function origin(): Promise<GitRepo> {
  const repo = await testRepo({ files: { ...FILES, 'docs/a.md': 'a\n', 'docs/deep/b.md': 'b\n' } });
  await repo.git('tag', 'v1');
  for (const name of ['two', 'three']) {
    await repo.write('src/app.ts', `${name}\n`);
    await repo.git('commit', '--quiet', '--all', `--message=${name}`);
  }
  await repo.git('config', 'uploadpack.allowFilter', 'true');
  await repo.git('config', 'uploadpack.allowAnySHA1InWant', 'true');
  return repo;
}

/** A clone with an identity. Its origin is moved away, so that any fetch from it fails. */
async function clone(
  options: readonly string[],
  prepare?: (repo: GitRepo) => Promise<unknown>,
): Promise<GitRepo> {
  const from = await origin();
  const repo = repoAt(join(await temporaryFolder(), 'clone'));
  await gitAt(from.root, 'clone', '--quiet', ...options, `file://${from.root}`, repo.root);
  await repo.git('config', 'user.name', 'Test User');
  await repo.git('config', 'user.email', 'test@example.invalid');
  await prepare?.(repo);
  await rename(from.root, `${from.root}-moved`);
  return repo;
}

/** Changes a file, rolls back, changes it again, validates and publishes. Returns the files of the result's diff. */
async function workIn(run: Run, path = 'src/app.ts'): Promise<string[]> {
  const { workspaces, run: workspace } = run;
  const before = await listFiles(workspace.checkoutPath);
  const base = await workspaces.snapshot(workspace, 'a@1');
  expect(await run.repo.git('rev-parse', 'HEAD^{tree}')).toBe(`${base.tree}\n`);
  await run.write(path, 'changed\n');
  await run.write('new.txt', 'new\n');
  await workspaces.restore(workspace, { kind: 'snapshot', commit: base.commit }, 'a@1');
  expect(await listFiles(workspace.checkoutPath)).toEqual(before);
  expect(await run.git('status', '--porcelain')).toBe('');
  await run.write(path, 'changed again\n');
  await run.write('new.txt', 'new\n');
  const snapshot = await workspaces.snapshot(workspace, 'a@1.after');
  const { files } = await workspaces.diff(workspace, base.tree, snapshot.tree);
  for (const time of ['first', 'second']) {
    const judge = await workspaces.openJudge(workspace, { snapshot, asAtBase: () => false });
    expect(await listFiles(judge.path), time).toEqual(await listFiles(workspace.checkoutPath));
    expect(await gitAt(judge.path, 'status', '--porcelain'), time).toBe('');
  }
  const { commit } = await workspaces.publish(workspace, { tree: snapshot.tree, message: 'work\n' });
  const published = await run.repo.git('diff', '--name-status', '--no-renames', 'HEAD', commit);
  expect(published.trim().split('\n')).toEqual(files.map(({ status, path: name }) => `${status}\t${name}`));
  expect(await run.store('for-each-ref', '--format=%(objecttype)', 'refs/conductor/salvage')).toBe(
    'commit\n',
  );
  return files.map(({ status, path: name }) => `${status} ${name}`);
}

const CHANGED = ['A new.txt', 'M src/app.ts'];

describe('a run works', () => {
  it('in a shallow clone', async () => {
    const repo = await clone(['--depth=1']);
    const run = await startRunIn(repo);
    expect(await run.git('log', '--format=%s')).toBe('three\n');
    expect(await workIn(run)).toEqual(CHANGED);
    expect(await repo.git('rev-list', '--count', '--all')).toBe('2\n');
    expect(await repo.git('fsck', '--strict', '--no-dangling')).toBe('');
  });

  it('in a repository that borrows objects from another one', async () => {
    const from = await origin();
    const repo = repoAt(join(await temporaryFolder(), 'clone'));
    await gitAt(from.root, 'clone', '--quiet', '--shared', from.root, repo.root);
    await repo.git('config', 'user.email', 'test@example.invalid');
    const run = await startRunIn(repo);
    expect(await workIn(run)).toEqual(CHANGED);
  });

  it('in a repository that borrows from one that borrows itself', async () => {
    const from = await origin();
    const folder = await temporaryFolder();
    let last = from.root;
    for (const name of ['one', 'two', 'three']) {
      await gitAt(folder, 'clone', '--quiet', '--shared', last, name);
      last = join(folder, name);
    }
    expect(await workIn(await startRunIn(repoAt(last)))).toEqual(CHANGED);
  });

  it('in a SHA-256 repository', async () => {
    const repo = repoAt(join(await temporaryFolder(), 'repo'));
    await mkdir(repo.root);
    await repo.git('init', '--quiet', '--initial-branch=main', '--object-format=sha256');
    await repo.git('config', 'user.email', 'test@example.invalid');
    for (const [path, text] of Object.entries(FILES)) await repo.write(path, text);
    await repo.git('add', '--all');
    await repo.git('-c', 'user.name=a', 'commit', '--quiet', '--message=start');
    const run = await startRunIn(repo);
    expect(run.run.baseSha).toHaveLength(64);
    expect(await run.git('rev-parse', '--show-object-format')).toBe('sha256\n');
    expect(await workIn(run)).toEqual(CHANGED);
    expect(await repo.git('fsck', '--strict', '--no-dangling')).toBe('');
  });

  it('in a linked worktree of the user, and leaves both checkouts alone', async () => {
    const main = await testRepo();
    const linked = repoAt(join(await temporaryFolder(), 'linked tree é'));
    await main.git('worktree', 'add', '--quiet', '-b', 'side', linked.root);
    await main.write('README.md', 'edited in the main checkout\n');
    const run = await startRunIn(linked);
    expect(await run.git('rev-parse', 'side')).toBe(`${run.run.baseSha}\n`);
    expect(await workIn(run)).toEqual(CHANGED);
    expect(await main.git('status', '--porcelain')).toBe(' M README.md\n');
  });

  it('in a worktree of a bare repository', async () => {
    const from = await origin();
    const folder = await temporaryFolder();
    await gitAt(folder, 'clone', '--quiet', '--bare', from.root, 'bare.git');
    const bare = join(folder, 'bare.git');
    await gitAt(bare, 'config', 'user.email', 'test@example.invalid');
    await gitAt(bare, 'worktree', 'add', '--quiet', join(folder, 'tree'), 'main');
    expect(await workIn(await startRunIn(repoAt(join(folder, 'tree'))))).toEqual(CHANGED);
  });

  it('in a sparse checkout: all files are there, and the result deletes none', async () => {
    const repo = await clone([], (user) => user.git('sparse-checkout', 'set', '--cone', 'src'));
    expect(existsSync(join(repo.root, 'docs'))).toBe(false);
    const run = await startRunIn(repo);
    expect(await run.read('docs/deep/b.md')).toBe('b\n');
    expect(await workIn(run, 'docs/a.md')).toEqual(['M docs/a.md', 'A new.txt']);
  });

  it('in a partial clone', async () => {
    const repo = await clone(['--filter=blob:none']);
    expect(await workIn(await startRunIn(repo))).toEqual(CHANGED);
  });

  it('in a repository with a commit graph, packed refs and a multi-pack index', async () => {
    const repo = await clone([]);
    for (const argv of [
      ['gc', '--quiet'],
      ['commit-graph', 'write'],
      ['multi-pack-index', 'write'],
    ])
      await repo.git(...argv);
    expect(await workIn(await startRunIn(repo))).toEqual(CHANGED);
  });
});

describe('files that a partial clone does not have', () => {
  const sparse = () => clone(['--filter=blob:none', '--sparse']);

  it('are neither fetched nor deleted', async () => {
    const repo = await sparse();
    const missing = (await repo.git('rev-list', '--objects', '--missing=print', 'HEAD')).match(
      /^\?/gm,
    )?.length;
    expect(missing).toBeGreaterThan(2);
    const run = await startRunIn(repo);
    expect(Object.keys(await listFiles(run.run.checkoutPath)).sort()).toEqual(['.gitignore', 'README.md']);
    expect(await workIn(run, 'README.md')).toEqual(['M README.md', 'A new.txt']);
    expect((await repo.git('rev-list', '--objects', '--missing=print', 'HEAD')).match(/^\?/gm)).toHaveLength(
      missing ?? 0,
    );
    expect(await repo.git('fsck', '--no-dangling')).toBe('');
  });

  it('are neither fetched nor deleted if the base is another commit than HEAD', async () => {
    const repo = await clone(['--filter=blob:none']);
    const run = await startRunIn(repo, { baseRef: 'v1' });
    expect(existsSync(run.path('src/app.ts'))).toBe(false);
    expect(await run.read('docs/a.md')).toBe('a\n');
    await run.write('docs/a.md', 'changed\n');
    const { tree } = await run.workspaces.snapshot(run.run, 'one');
    const { commit } = await run.workspaces.publish(run.run, { tree, message: 'work\n' });
    expect(await repo.git('diff-tree', '-r', '--name-status', 'v1', commit)).toBe('M\tdocs/a.md\n');
  });

  it('can be created by the agent, and a restore removes them again', async () => {
    const run = await startRunIn(await sparse());
    const before = await listFiles(run.run.checkoutPath);
    const patch = join(await temporaryFolder(), 'patch');
    const base = await run.workspaces.snapshot(run.run, 'base');
    const { files } = await watchWhile(run, async () => {
      await run.write('src/app.ts', 'made by the agent\n');
      await run.write('README.md', 'changed\n');
    });
    expect(files).toEqual(['M README.md', 'A src/app.ts']);
    const snapshot = await run.workspaces.snapshot(run.run, 'one');
    await run.workspaces.diff(run.run, base.tree, snapshot.tree, patch);
    expect(await readFile(patch, 'utf8')).toContain('+made by the agent');
    const judge = await run.workspaces.openJudge(run.run, { snapshot, asAtBase: () => false });
    expect(await readFile(join(judge.path, 'src/app.ts'), 'utf8')).toBe('made by the agent\n');
    const atBase = await run.workspaces.openJudge(run.run, {
      snapshot,
      asAtBase: (path) => path === 'src/app.ts',
    });
    expect(existsSync(join(atBase.path, 'src/app.ts'))).toBe(false);
    await run.workspaces.restore(run.run, { kind: 'base' }, 'a@1');
    expect(await listFiles(run.run.checkoutPath)).toEqual(before);
  });

  it('stay missing when the process that takes snapshots is another one', async () => {
    const run = await startRunIn(await sparse());
    await rm(join(dirname(run.run.checkoutPath), 'store/index'));
    await run.write('nested/.git/HEAD', 'junk\n');
    await run.write('.gitignore', '*.log\n*.tmp\n');
    const { tree } = await run.workspaces.snapshot(run.run, 'one');
    const base = await run.workspaces.resolveBase(run.run.baseSha);
    if (!base.ok) throw new Error(base.reason);
    const diff = await run.workspaces.diff(run.run, base.tree, tree);
    expect(diff.files.map(({ status, path }) => `${status} ${path}`)).toEqual(['M .gitignore']);
  });

  it('are not deleted through a link that the agent put in the place of their folder', async () => {
    const run = await startRunIn(await sparse());
    const outside = await temporaryFolder();
    await writeFile(join(outside, 'app.ts'), 'precious\n');
    await run.git('-c', `alias.link=!ln -s '${outside}' src`, 'link');
    await run.workspaces.snapshot(run.run, 'one');
    await run.workspaces.restore(run.run, { kind: 'base' }, 'a@1');
    expect(await readFile(join(outside, 'app.ts'), 'utf8')).toBe('precious\n');
    expect(existsSync(run.path('src'))).toBe(false);
  });

  it('are missing for questions about files too, without a fetch', async () => {
    const repo = await sparse();
    const run = await startRunIn(repo);
    const { baseSha } = run.run;
    expect(await run.workspaces.hasFile(baseSha, 'src/app.ts')).toBe(true);
    expect(await run.workspaces.hasFile(baseSha, 'src/nothing.ts')).toBe(false);
    expect(await run.workspaces.readFiles(run.run, baseSha, ['src/app.ts', 'README.md'])).toEqual(
      new Map([
        ['src/app.ts', null],
        ['README.md', '# hello\n'],
      ]),
    );
  });
});
