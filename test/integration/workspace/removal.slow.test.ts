import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Removal } from '../../../src/ports/upkeep.ts';
import { gitAt } from '../../../testing/git-repo.ts';
import { placesOf, type Run, startRun, temporaryFolder, testRepo, upkeepOf } from './fixture.ts';

const LARGE = new Uint8Array(33 * 1024 * 1024);

async function remove({ repo, run }: Run): Promise<Removal> {
  return (await upkeepOf(repo)).removeWorkspace(run);
}

async function publish({ workspaces, run }: Run) {
  const { tree } = await workspaces.snapshot(run, 'end');
  return workspaces.publish(run, { tree, message: 'Work\n\nConductor-Run: r1\n' });
}

/** Names of conductor's refs in the repository of the user. */
async function refsOf({ repo }: Run): Promise<string[]> {
  const listed = await repo.git(
    'for-each-ref',
    '--format=%(refname)',
    'refs/conductor',
    'refs/heads/conductor',
  );
  return listed.split('\n').filter((line) => line !== '');
}

describe('removing a workspace', () => {
  it('leaves neither a folder nor a base ref, and keeps nothing that the result has', async () => {
    const run = await startRun();
    await run.write('new.txt', 'new\n');
    await publish(run);
    expect(await remove(run)).toEqual({ ok: true, removed: true, salvageRef: null, notes: [] });
    expect(await refsOf(run)).toEqual(['refs/heads/conductor/run/demo/r1']);
    expect(await readdir((await placesOf(run.repo)).workspacesDir)).toEqual([]);
    expect(await run.repo.git('fsck', '--strict', '--no-dangling')).toBe('');
  });

  it('keeps files that are not in the result, also small ignored ones', async () => {
    const run = await startRun();
    await run.write('new.txt', 'published\n');
    await publish(run);
    await run.write('new.txt', 'changed since\n');
    await run.write('debug.log', 'ignored\n');
    await run.write('node_modules/big.bin', LARGE);
    expect(await remove(run)).toEqual({
      ok: true,
      removed: true,
      salvageRef: 'refs/conductor/salvage/r1.worktree',
      notes: ['too large to keep: node_modules/'],
    });
    expect(await run.repo.git('show', 'refs/conductor/salvage/r1.worktree:new.txt')).toBe('changed since\n');
    expect(await run.repo.git('show', 'refs/conductor/salvage/r1.worktree^2:debug.log')).toBe('ignored\n');
    expect(existsSync(dirname(run.run.checkoutPath))).toBe(false);
    expect(await run.repo.git('fsck', '--strict', '--no-dangling')).toBe('');
  });

  it('keeps the salvages of rollbacks', async () => {
    const run = await startRun();
    await run.write('new.txt', 'rolled back\n');
    await run.write('debug.log', 'ignored\n');
    await run.workspaces.restore(run.run, { kind: 'base' }, 'implement@1');
    await remove(run);
    expect(await refsOf(run)).toEqual(['refs/conductor/salvage/r1.implement@1']);
    expect(await run.repo.git('show', 'refs/conductor/salvage/r1.implement@1:new.txt')).toBe('rolled back\n');
    expect(await run.repo.git('show', 'refs/conductor/salvage/r1.implement@1^2:debug.log')).toBe('ignored\n');
  });

  it('keeps the commits of the agent, from its branch, from others and from a detached HEAD', async () => {
    const run = await startRun();
    const commits: string[] = [];
    const commit = async (name: string) => {
      await run.write(`${name}.txt`, `${name}\n`);
      await run.git('add', '.');
      await run.git('commit', '--quiet', `--message=${name}`);
      commits.push((await run.git('rev-parse', 'HEAD')).trim());
    };
    await commit('own');
    await run.git('checkout', '--quiet', '-b', 'side', run.run.baseSha);
    await commit('side');
    await run.write('stashed.txt', 'stashed\n');
    await run.git('stash', '--include-untracked', '--quiet');
    commits.push((await run.git('rev-parse', 'refs/stash')).trim());
    await run.git('checkout', '--quiet', '--detach', run.run.baseSha);
    await commit('detached');
    await run.git('checkout', '--quiet', run.run.baseSha);
    await commit('head');
    await remove(run);
    const salvages = (await refsOf(run)).filter((ref) => ref.startsWith('refs/conductor/salvage/'));
    const kept = await run.repo.git('rev-list', ...salvages);
    // The commit `detached` is only in a reflog.
    for (const id of commits.filter((_, at) => at !== 3)) expect(kept).toContain(id);
    expect(await run.repo.git('fsck', '--strict', '--no-dangling')).toBe('');
  });

  it('keeps the commits of the agent that a rollback removed', async () => {
    const run = await startRun();
    await run.write('a.txt', 'a\n');
    await run.git('add', '.');
    await run.git('commit', '--quiet', '--message=agent');
    const commit = (await run.git('rev-parse', 'HEAD')).trim();
    await run.workspaces.restore(run.run, { kind: 'base' }, 'implement@1');
    await run.git('reflog', 'expire', '--expire=now', '--all');
    await run.git('gc', '--quiet', '--prune=now');
    await remove(run);
    expect(await run.repo.git('rev-list', 'refs/conductor/salvage/r1.implement@1')).toContain(commit);
  });

  it('keeps the result if the user deleted its branch', async () => {
    const run = await startRun();
    await run.write('new.txt', 'new\n');
    const { commit } = await publish(run);
    await run.repo.git('branch', '--quiet', '-D', run.run.branchName);
    await run.repo.git('gc', '--quiet', '--prune=now');
    await remove(run);
    expect(await run.sha('refs/conductor/salvage/r1')).toBe(commit);
  });

  it('keeps the files if the checkout is all that was deleted', async () => {
    const run = await startRun();
    await run.write('new.txt', 'new\n');
    await run.workspaces.restore(run.run, { kind: 'base' }, 'implement@1');
    await rm(run.run.checkoutPath, { recursive: true });
    expect(await remove(run)).toMatchObject({ ok: true, removed: true });
    expect(await run.repo.git('show', 'refs/conductor/salvage/r1.implement@1:new.txt')).toBe('new\n');
  });

  it('says what a restore had moved aside', async () => {
    const run = await startRun();
    await run.write('huge.log', LARGE);
    await run.workspaces.restore(run.run, { kind: 'base' }, 'implement@1');
    expect(await remove(run)).toMatchObject({
      ok: true,
      notes: ['not kept, because a restore had moved it aside: huge.log'],
    });
  });

  it('works with folders without permissions and with pipes', async () => {
    const run = await startRun();
    await run.write('locked/deep/a.txt', 'a\n');
    await chmod(run.path('locked/deep'), 0o500);
    await chmod(run.path('locked'), 0);
    await gitAt(run.repo.root, '-c', `alias.pipe=!mkfifo '${run.path('.gitattributes')}'`, 'pipe');
    expect(await remove(run)).toMatchObject({ ok: true, removed: true });
    expect(await run.repo.git('show', 'refs/conductor/salvage/r1.worktree:locked/deep/a.txt')).toBe('a\n');
  });

  it('can be repeated', async () => {
    const run = await startRun();
    await run.write('new.txt', 'new\n');
    await remove(run);
    const refs = await refsOf(run);
    expect(await remove(run)).toEqual({ ok: true, removed: false, salvageRef: null, notes: [] });
    expect(await refsOf(run)).toEqual(refs);
  });

  it.each<[string, (run: Run) => Promise<unknown>, RegExp]>([
    [
      'contains a repository',
      async ({ git, write }) => {
        await git('init', '--quiet', 'nested');
        await write('nested/a.txt', 'a\n');
      },
      /contains repositories, and their commits can't be kept: nested/,
    ],
    [
      'contains a repository in a folder of the base',
      ({ git }) => git('init', '--quiet', 'src'),
      /contains repositories, and their commits can't be kept: src/,
    ],
    [
      'had a repository that a restore moved aside',
      async ({ git, workspaces, run }) => {
        await git('init', '--quiet', 'src');
        await workspaces.restore(run, { kind: 'base' }, 'a@1');
      },
      /their commits can't be kept: .*displaced/,
    ],
    [
      'has lost its store',
      async ({ run, write }) => {
        await write('new.txt', 'new\n');
        await rm(join(dirname(run.checkoutPath), 'store'), { recursive: true });
      },
      /store is missing, so the files in .*work can't be kept/,
    ],
  ])('is refused for one that %s', async (_, prepare, reason) => {
    const run = await startRun();
    await prepare(run);
    const before = await readdir(run.run.checkoutPath);
    expect(await remove(run)).toEqual({ ok: false, reason: expect.stringMatching(reason) });
    expect(await readdir(run.run.checkoutPath)).toEqual(before);
    expect(await refsOf(run)).toEqual(['refs/conductor/base/r1']);
  });

  it('does not follow a link in the place of the checkout', async () => {
    const run = await startRun();
    const outside = await temporaryFolder();
    await writeFile(join(outside, 'theirs.txt'), 'theirs\n');
    await rm(run.run.checkoutPath, { recursive: true });
    await symlink(outside, run.run.checkoutPath);
    expect(await remove(run)).toMatchObject({ ok: true, removed: true });
    expect(await readdir(outside)).toEqual(['theirs.txt']);
  });
});

describe('removing the refs of a run', () => {
  it('makes a salvage of a branch that no other ref leads to', async () => {
    const run = await startRun();
    await run.write('new.txt', 'new\n');
    const { commit } = await publish(run);
    await remove(run);
    const upkeep = await upkeepOf(run.repo);
    expect(await upkeep.removeRefs(run.run)).toEqual({
      ok: true,
      removed: true,
      salvageRef: 'refs/conductor/salvage/r1.branch',
      notes: [],
    });
    expect(await run.sha('refs/conductor/salvage/r1.branch')).toBe(commit);
    expect(await refsOf(run)).toEqual(['refs/conductor/salvage/r1.branch']);
    expect(await upkeep.removeRefs(run.run)).toMatchObject({ ok: true, salvageRef: null });
  });

  it('makes none of a branch that was merged', async () => {
    const run = await startRun();
    await run.write('new.txt', 'new\n');
    const { commit } = await publish(run);
    await run.repo.git('branch', 'merged', commit);
    await remove(run);
    expect(await (await upkeepOf(run.repo)).removeRefs(run.run)).toMatchObject({
      ok: true,
      salvageRef: null,
    });
    expect(await refsOf(run)).toEqual([]);
    await run.repo.git('branch', '--quiet', '-D', 'merged');
  });

  it('leaves a branch that is checked out', async () => {
    const run = await startRun();
    await run.write('new.txt', 'new\n');
    await publish(run);
    const review = join(await temporaryFolder(), 'review');
    await run.repo.git('worktree', 'add', '--quiet', review, run.run.branchName);
    await remove(run);
    const removal = await (await upkeepOf(run.repo)).removeRefs(run.run);
    const notes = [`the branch ${run.run.branchName} stays, because it is checked out in ${review}`];
    expect(removal).toEqual({ ok: true, removed: false, salvageRef: null, notes });
    expect(await gitAt(review, 'status', '--porcelain')).toBe('');
    await run.repo.git('worktree', 'remove', review);
  });

  it('removes snapshots of earlier versions, and keeps old values of refs and stashes beside them', async () => {
    const run = await startRun();
    for (const name of ['r1/implement@1', 'r1/stash/abc', 'r1/moved/a@1/refs/heads/x', 'r2/implement@1'])
      await run.repo.git('update-ref', `refs/conductor/${name}`, 'main');
    await remove(run);
    await (await upkeepOf(run.repo)).removeRefs(run.run);
    expect(await refsOf(run)).toEqual([
      'refs/conductor/r2/implement@1',
      'refs/conductor/salvage/r1.moved/a@1/refs/heads/x',
      'refs/conductor/salvage/r1.stash/abc',
    ]);
  });
});

describe('a linked worktree of an earlier version', () => {
  async function linkedRun() {
    const repo = await testRepo();
    const path = join(repo.root, '.tnh/worktrees/r1');
    await repo.write('.tnh/.gitignore', '*\n');
    await repo.git('worktree', 'add', '--quiet', '-b', 'conductor/run/demo/r1', path);
    const baseSha = (await repo.git('rev-parse', 'HEAD')).trim();
    const workspace = {
      runId: 'r1',
      repoRoot: repo.root,
      checkoutPath: path,
      judgePath: `${path}.judge`,
      branchName: 'conductor/run/demo/r1',
      baseRef: 'HEAD',
      baseSha,
      harnessDir: join(repo.root, '.tnh/run/r1/harness'),
    };
    return { repo, path, workspace, upkeep: await upkeepOf(repo) };
  }

  it('is listed, and a worktree of the user is not', async () => {
    const { repo, path, upkeep } = await linkedRun();
    await repo.git('branch', 'conductor/run/demo/r2');
    const own = join(await temporaryFolder(), 'own');
    await repo.git('worktree', 'add', '--quiet', own, 'conductor/run/demo/r2');
    const branchName = 'conductor/run/demo/r1';
    expect(await upkeep.listWorkspaces()).toEqual([
      { runId: 'r1', path, branchName, present: true, linked: true },
    ]);
    await rm(path, { recursive: true });
    expect(await upkeep.listWorkspaces()).toEqual([
      { runId: 'r1', path, branchName, present: false, linked: true },
    ]);
  });

  it('is removed, and files that are not committed are kept', async () => {
    const { repo, path, workspace, upkeep } = await linkedRun();
    await writeFile(join(path, 'new.txt'), 'new\n');
    await mkdir(join(path, '.tnh/run'), { recursive: true });
    expect(await upkeep.workspaceState(workspace)).toBe('linked');
    expect(await upkeep.removeWorkspace(workspace)).toMatchObject({
      ok: true,
      removed: true,
      salvageRef: 'refs/conductor/salvage/r1.worktree',
    });
    expect(await repo.git('show', 'refs/conductor/salvage/r1.worktree:new.txt')).toBe('new\n');
    expect((await repo.git('worktree', 'list')).trim().split('\n')).toHaveLength(1);
    expect(await upkeep.removeWorkspace(workspace)).toMatchObject({ ok: true, removed: false });
  });
});
