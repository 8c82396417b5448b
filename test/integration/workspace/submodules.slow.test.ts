import { existsSync } from 'node:fs';
import { readdir, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { GitRepo } from '../../../testing/git-repo.ts';
import { LOCAL_CLONES, listFiles, makeWitness, type Run, startRun, testRepo, upkeepOf } from './fixture.ts';
import { describeNotices, watchWhile } from './watch-while.ts';

const commitAll = async (repo: GitRepo, message: string) => {
  await repo.git('add', '--all');
  await repo.git('commit', '--quiet', `--message=${message}`);
};

/** A submodule `lib` with a submodule `deep` inside, both checked out by the user. */
async function withSubmodules(repo: GitRepo): Promise<void> {
  const inner = await testRepo({ files: { 'inner.txt': 'inner\n' } });
  const outer = await testRepo({ files: { 'outer.txt': 'outer\n', '.gitignore': '*.tmp\n' } });
  await outer.git(...LOCAL_CLONES, 'submodule', 'add', '--quiet', inner.root, 'deep');
  await commitAll(outer, 'inner');
  await repo.git(...LOCAL_CLONES, 'submodule', 'add', '--quiet', outer.root, 'lib');
  await repo.git(...LOCAL_CLONES, 'submodule', '--quiet', 'update', '--init', '--recursive');
  await commitAll(repo, 'outer');
}

/** A submodule `lib` that the user has not checked out. */
async function withEmptySubmodule(repo: GitRepo): Promise<void> {
  await withSubmodules(repo);
  await repo.git('submodule', '--quiet', 'deinit', '--force', 'lib');
}

const LIB = ['lib/.gitignore', 'lib/.gitmodules', 'lib/deep/inner.txt', 'lib/outer.txt'];
const inLib = (files: Record<string, string>) =>
  Object.keys(files)
    .filter((name) => name.startsWith('lib/'))
    .sort();

describe('submodules that the user has checked out', () => {
  it('are real files in the work and judge checkouts, and no part of a diff', async () => {
    const run = await startRun(undefined, withSubmodules);
    expect(inLib(await listFiles(run.run.checkoutPath))).toEqual(LIB);
    expect(await run.read('lib/deep/inner.txt')).toBe('inner\n');
    expect(await run.git('status', '--porcelain')).toBe('');
    const base = await run.workspaces.snapshot(run.run, 'one');
    expect(await run.repo.git('rev-parse', 'HEAD^{tree}')).toBe(`${base.tree}\n`);
    await run.write('README.md', 'changed\n');
    const snapshot = await run.workspaces.snapshot(run.run, 'two');
    const judge = await run.workspaces.openJudge(run.run, { snapshot, asAtBase: () => false });
    expect(judge.changes.map(({ path }) => path)).toEqual(['README.md']);
    expect(inLib(await listFiles(judge.path))).toEqual(LIB);
    const { commit } = await run.workspaces.publish(run.run, { tree: snapshot.tree, message: 'work\n' });
    expect(await run.repo.git('diff', '--name-only', 'main', commit)).toBe('README.md\n');
  });

  it.each<[string, (run: Run) => Promise<unknown>, readonly string[]]>([
    ['an edited file', ({ write }) => write('lib/outer.txt', 'changed\n'), ['lib']],
    ['a new file', ({ write }) => write('lib/new.txt', 'new\n'), ['lib']],
    ['a deleted file', ({ path }) => rm(path('lib/outer.txt')), ['lib']],
    ['an edited file of a nested one', ({ write }) => write('lib/deep/inner.txt', 'changed\n'), ['lib/deep']],
    ['an ignored file', ({ write }) => write('lib/x.tmp', 'x\n'), []],
  ])('report %s as a notice, and a rollback restores and keeps it', async (_, act, changed) => {
    const run = await startRun(undefined, withSubmodules);
    const before = await listFiles(run.path('lib'));
    const { traces, files } = await watchWhile(run, () => act(run));
    expect(files).toEqual([]);
    expect(describeNotices(traces.notices)).toEqual(changed.map((path) => `workspace ${path}: null -> null`));
    const now = await listFiles(run.path('lib'));
    const { salvageRef } = await run.workspaces.restore(run.run, { kind: 'base' }, 'a@1');
    if (changed.length === 0) return;
    expect(await listFiles(run.path('lib'))).toEqual(before);
    expect(now).not.toEqual(before);
    expect(await run.store('log', '-1', '--format=%B', salvageRef)).toContain(` ${changed[0]}\n`);
    const [, kept = ''] =
      /^Submodule: ([0-9a-f]+) /m.exec(await run.store('log', '-1', '--format=%B', salvageRef)) ?? [];
    expect(await run.store('rev-list', salvageRef)).toContain(kept);
    expect(await run.store('diff', '--name-only', `${kept}^`, kept)).toMatch(/^(outer|new|inner)\.txt\n$/);
  });

  it('are restored if the agent replaced their folder', async () => {
    const run = await startRun(undefined, withSubmodules);
    await rm(run.path('lib'), { recursive: true });
    await symlink('/tmp', run.path('lib'));
    await run.workspaces.snapshot(run.run, 'one');
    await run.workspaces.restore(run.run, { kind: 'base' }, 'a@1');
    expect(inLib(await listFiles(run.run.checkoutPath))).toEqual(LIB);
    expect(await run.git('status', '--porcelain')).toBe('');
  });

  it('are clean in the judge checkout, whatever validators left there', async () => {
    const run = await startRun(undefined, withSubmodules);
    await run.write('lib/outer.txt', 'changed by the agent\n');
    const snapshot = await run.workspaces.snapshot(run.run, 'one');
    const open = () => run.workspaces.openJudge(run.run, { snapshot, asAtBase: () => false });
    const { path } = await open();
    const files = await listFiles(path);
    expect(await readFile(join(path, 'lib/outer.txt'), 'utf8')).toBe('outer\n');
    for (const name of ['lib/left.txt', 'lib/x.tmp', 'lib/deep/left.txt', 'lib/outer.txt'])
      await writeFile(join(path, name), 'left behind\n');
    await rm(join(path, 'lib/deep/inner.txt'));
    await open();
    expect(await listFiles(path)).toEqual(files);
  });

  it('are kept when the workspace is removed, if they are changed', async () => {
    const run = await startRun(undefined, withSubmodules);
    await run.write('lib/outer.txt', 'precious\n');
    const removal = await (await upkeepOf(run.repo)).removeWorkspace(run.run);
    expect(removal).toMatchObject({ ok: true, salvageRef: 'refs/conductor/salvage/r1.worktree' });
    const message = await run.repo.git('log', '-1', '--format=%B', 'refs/conductor/salvage/r1.worktree');
    const [, kept = ''] = /^Submodule: ([0-9a-f]+) lib$/m.exec(message) ?? [];
    expect(await run.repo.git('show', `${kept}:outer.txt`)).toBe('precious\n');
  });

  it('are restored if the checkout was deleted', async () => {
    const run = await startRun(undefined, withSubmodules);
    await rm(run.run.checkoutPath, { recursive: true });
    await run.workspaces.reopen(run.run, null);
    expect(inLib(await listFiles(run.run.checkoutPath))).toEqual(LIB);
  });

  it('run nothing of what the agent configures in their place', async () => {
    const { script, trace } = await makeWitness();
    const run = await startRun(undefined, withSubmodules);
    await run.git('init', '--quiet', 'lib');
    await run.git('-C', 'lib', 'config', 'filter.x.clean', script);
    await run.git('-C', 'lib', 'config', 'core.fsmonitor', script);
    await writeFile(run.path('lib/.git/info/attributes'), '* filter=x\n');
    const past = new Date('2020-01-01T00:00:00Z');
    await utimes(run.path('lib/outer.txt'), past, past);
    await rm(trace, { force: true });
    await run.workspaces.snapshot(run.run, 'one');
    await run.workspaces.restore(run.run, { kind: 'base' }, 'a@1');
    expect(existsSync(trace)).toBe(false);
    expect(existsSync(run.path('lib/.git'))).toBe(false);
    expect(inLib(await listFiles(run.run.checkoutPath))).toEqual(LIB);
  });

  it('arrive at the commit of the base, wherever the user has them', async () => {
    const run = await startRun(undefined, async (repo) => {
      await withSubmodules(repo);
      const lib = join(repo.root, 'lib');
      await writeFile(join(lib, 'outer.txt'), 'newer\n');
      const identity = ['-c', 'user.name=a', '-c', 'user.email=a@b'];
      await repo.git('-C', 'lib', ...identity, 'commit', '--quiet', '--all', '--message=newer');
    });
    expect(await run.read('lib/outer.txt')).toBe('outer\n');
  });
});

describe('submodules that the user has not checked out', () => {
  it('are empty places', async () => {
    const run = await startRun(undefined, withEmptySubmodule);
    expect(await readdir(run.path('lib'))).toEqual([]);
    expect(await run.git('status', '--porcelain')).toBe('');
    const { tree } = await run.workspaces.snapshot(run.run, 'one');
    expect(await run.repo.git('rev-parse', 'HEAD^{tree}')).toBe(`${tree}\n`);
  });

  it('report files that the agent puts into their place as a notice, and a rollback removes and keeps them', async () => {
    const run = await startRun(undefined, withEmptySubmodule);
    const { files, traces } = await watchWhile(run, () => run.write('lib/evil.txt', 'evil\n'));
    expect(files).toEqual([]);
    expect(describeNotices(traces.notices)).toEqual(['workspace lib: null -> null']);
    const snapshot = await run.workspaces.snapshot(run.run, 'one');
    const judge = await run.workspaces.openJudge(run.run, { snapshot, asAtBase: () => false });
    expect(await readdir(join(judge.path, 'lib'))).toEqual([]);
    const { salvageRef } = await run.workspaces.restore(run.run, { kind: 'base' }, 'a@1');
    expect(await readdir(run.path('lib'))).toEqual([]);
    expect(await run.git('status', '--porcelain')).toBe('');
    expect(await run.store('show', `${salvageRef}^2:evil.txt`)).toBe('evil\n');
  });
});
