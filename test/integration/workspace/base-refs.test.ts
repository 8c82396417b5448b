import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type GitRepo, gitAt } from '../../../testing/git-repo.ts';
import {
  createRun,
  FILES,
  placesOf,
  repoAt,
  requestFor,
  startRunIn,
  temporaryFolder,
  testRepo,
  workspacesOf,
} from './fixture.ts';

/** Three commits on main, a side branch with a tag that main does not have, tags of both kinds, and a remote branch. */
async function history(): Promise<GitRepo> {
  const repo = await testRepo();
  await repo.git('tag', 'light');
  await repo.git('branch', 'conductor-like');
  await repo.write('README.md', 'two\n');
  await repo.git('commit', '--quiet', '--all', '--message=two');
  await repo.git('tag', '--annotate', '--message=v1', 'v1');
  await repo.git('tag', 'on-a-tree', 'HEAD^{tree}');
  await repo.git('checkout', '--quiet', '-b', 'side');
  await repo.git('commit', '--quiet', '--allow-empty', '--message=side');
  await repo.git('tag', 'unreachable');
  await repo.git('checkout', '--quiet', 'main');
  await repo.write('README.md', 'three\n');
  await repo.git('commit', '--quiet', '--all', '--message=three');
  await repo.git('update-ref', 'refs/remotes/origin/feature/x', 'main~1');
  await repo.git('symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/feature/x');
  return repo;
}

describe('a run from', () => {
  const BRANCHES: readonly (readonly [string, readonly string[]])[] = [
    ['HEAD', ['main']],
    ['main', ['main']],
    ['refs/heads/main', ['main']],
    ['side', ['side']],
    ['origin/feature/x', ['feature/x']],
    ['refs/remotes/origin/HEAD', ['feature/x']],
    ['v1', []],
    ['main~1', []],
    ['main@{0}', []],
  ];

  it.each(BRANCHES)('%s has the base branch under its own name, if there is one', async (baseRef, names) => {
    const repo = await history();
    const run = await startRunIn(repo, { baseRef });
    const branches = await run.git('for-each-ref', '--format=%(refname:lstrip=2)', 'refs/heads');
    expect(branches.trim().split('\n')).toEqual(['conductor/run/demo/r1', ...names].sort());
    for (const name of names) expect(await run.git('rev-parse', name)).toBe(`${run.run.baseSha}\n`);
    expect(await run.git('for-each-ref', 'refs/remotes')).toBe('');
  });

  it('a commit id works', async () => {
    const repo = await history();
    const run = await startRunIn(repo, { baseRef: (await repo.git('rev-parse', 'main~1')).trim() });
    expect(await run.read('README.md')).toBe('two\n');
  });

  it('a detached HEAD works', async () => {
    const repo = await history();
    await repo.git('checkout', '--quiet', '--detach', 'side');
    const run = await startRunIn(repo);
    expect(await run.git('log', '-1', '--format=%s')).toBe('side\n');
  });

  it('a named branch works while HEAD has no commit', async () => {
    const repo = await history();
    const request = await requestFor(repo, 'r1', { baseRef: 'main' });
    await repo.git('symbolic-ref', 'HEAD', 'refs/heads/unborn');
    const run = await createRun(await workspacesOf(repo), request);
    expect(await gitAt(run.checkoutPath, 'show', 'main:README.md')).toBe('three\n');
  });
});

describe('git in the checkouts of a run', () => {
  it('describes, logs and compares as in the repository of the user', async () => {
    const repo = await history();
    const run = await startRunIn(repo);
    const tree = (await repo.git('rev-parse', 'HEAD^{tree}')).trim();
    const { path: judge } = await run.workspaces.openJudge(run.run, {
      snapshot: { commit: run.run.baseSha, tree },
      asAtBase: () => false,
    });
    for (const checkout of [run.run.checkoutPath, judge]) {
      const git = (...args: string[]) => gitAt(checkout, ...args);
      for (const argv of [
        ['describe'],
        ['describe', '--tags', 'main~2'],
        ['log', '--format=%H %s'],
        ['tag', '--merged'],
        ['show', '--no-patch', 'v1'],
        ['blame', '--porcelain', 'README.md'],
      ])
        expect(await git(...argv), argv.join(' ')).toBe(await repo.git(...argv));
      expect(await git('diff', 'main')).toBe('');
      expect(await git('tag')).toBe('light\nv1\n');
      expect(await git('remote')).toBe('');
      expect(await readdir(join(checkout, '.git'))).not.toContain('hooks');
    }
    await run.write('README.md', 'four\n');
    expect(await run.git('diff', '--stat', 'main')).toContain('README.md | 2 +-');
    await run.git('commit', '--quiet', '--all', '--message=agent');
    expect(await run.git('describe')).toMatch(/^v1-2-g[0-9a-f]+\n$/);
  });
});

describe('a branch that rules out the name of the run', () => {
  it.each(['conductor', 'conductor/run', 'conductor/run/demo'])('is named: %s', async (name) => {
    const repo = await testRepo();
    await repo.git('branch', name);
    const workspaces = await workspacesOf(repo);
    expect(await workspaces.conflictingBranch(workspaces.describe(await requestFor(repo, 'r1')))).toBe(name);
  });

  it('is none of the others', async () => {
    const repo = await testRepo();
    for (const name of ['conductor-like', 'conductor2/run', 'run']) await repo.git('branch', name);
    const workspaces = await workspacesOf(repo);
    expect(await workspaces.conflictingBranch(workspaces.describe(await requestFor(repo, 'r1')))).toBeNull();
  });

  it('may be the base on a remote, and is then left out', async () => {
    const repo = await testRepo();
    await repo.git('update-ref', 'refs/remotes/origin/conductor', 'main');
    const run = await startRunIn(repo, { baseRef: 'origin/conductor' });
    expect(await run.git('for-each-ref', '--format=%(refname)')).toBe('refs/heads/conductor/run/demo/r1\n');
  });
});

describe('a repository without commits', () => {
  it('has no base, and a run in it starts nothing', async () => {
    const repo = repoAt(join(await temporaryFolder(), 'repo'));
    await mkdir(repo.root);
    await repo.git('init', '--quiet');
    for (const [path, text] of Object.entries(FILES)) await repo.write(path, text);
    const workspaces = await workspacesOf(repo);
    expect(await workspaces.resolveBase('HEAD')).toEqual({ ok: false, reason: 'no_commits' });
    expect(await readdir((await placesOf(repo)).workspacesDir).catch(() => [])).toEqual([]);
  });
});
