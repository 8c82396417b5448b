import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { gitAt } from '../../../testing/git-repo.ts';
import {
  createRun,
  FILES,
  readUserSide,
  requestFor,
  runIn,
  stubGit,
  temporaryFolder,
  testRepo,
  upkeepOf,
  workspacesOf,
} from './fixture.ts';
import { watchWhile } from './watch-while.ts';

describe('the repository of the user', () => {
  it('has the documented refs and no other change after every operation', async () => {
    const repo = await testRepo({ files: { ...FILES, 'staged.txt': 'staged\n' } });
    const review = join(await temporaryFolder(), 'review');
    await repo.git('worktree', 'add', '--quiet', '-b', 'review', review);
    await repo.git('tag', 'v1');
    await repo.git('fetch', '--quiet', repo.root, 'main');
    await repo.write('README.md', 'stashed\n');
    await repo.git('stash');
    await repo.write('staged.txt', 'changed\n');
    await repo.git('add', 'staged.txt');
    await repo.write('README.md', 'edited\n');
    await repo.write('untracked.txt', 'untracked\n');
    const side = async () => ({
      main: await readUserSide(repo.root),
      review: await readUserSide(review),
      excluded: await readFile(join(repo.root, '.git/info/exclude'), 'utf8'),
    });
    const before = await side();
    const refs = async () =>
      (await repo.git('for-each-ref', '--format=%(refname)', 'refs/conductor', 'refs/heads/conductor'))
        .split('\n')
        .filter((line) => line !== '');
    const BASE = 'refs/conductor/base/r1';
    const BRANCH = 'refs/heads/conductor/run/demo/r1';
    const KEPT = ['refs/conductor/salvage/r1.a@1', 'refs/conductor/salvage/r1.worktree'];

    const workspaces = await workspacesOf(repo);
    const upkeep = await upkeepOf(repo);
    const run = runIn(repo, workspaces, await createRun(workspaces, await requestFor(repo, 'r1')));
    let tree = '';
    const steps: readonly (readonly [string, () => Promise<unknown>, readonly string[]])[] = [
      ['create', async () => undefined, [BASE]],
      ['an agent step', () => watchWhile(run, () => run.write('README.md', 'work\n')), [BASE]],
      [
        'snapshot',
        async () => {
          tree = (await workspaces.snapshot(run.run, 'a@1')).tree;
        },
        [BASE],
      ],
      [
        'openJudge',
        async () => {
          const snapshot = await workspaces.snapshot(run.run, 'v@1');
          await workspaces.openJudge(run.run, { snapshot, asAtBase: () => false });
        },
        [BASE],
      ],
      ['publish', () => workspaces.publish(run.run, { tree, message: 'work\n' }), [BASE, BRANCH]],
      ['restore', () => workspaces.restore(run.run, { kind: 'base' }, 'a@1'), [BASE, BRANCH]],
      ['reopen', () => workspaces.reopen(run.run, null), [BASE, BRANCH]],
      ['salvages', () => upkeep.listSalvages(), [BASE, BRANCH]],
      ['publish again', () => workspaces.publish(run.run, { tree, message: 'more\n' }), [BASE, BRANCH]],
      ['a change', () => run.write('left.txt', 'left\n'), [BASE, BRANCH]],
      ['removeWorkspace', () => upkeep.removeWorkspace(run.run), [...KEPT, BRANCH]],
      [
        'removeRefs',
        () => upkeep.removeRefs(run.run),
        ['refs/conductor/salvage/r1.a@1', 'refs/conductor/salvage/r1.branch', KEPT[1] ?? ''],
      ],
    ];
    for (const [name, act, expected] of steps) {
      await act();
      expect(await refs(), name).toEqual(expected);
      expect(await side(), name).toEqual(before);
    }
    expect(await repo.git('fsck', '--strict', '--no-dangling')).toBe('');
    expect(await gitAt(review, 'status', '--porcelain')).toBe('');
  });

  it('is not written by a comparison: no command of conductor takes its index lock', async () => {
    const repo = await testRepo();
    const workspaces = await workspacesOf(repo);
    const run = runIn(repo, workspaces, await createRun(workspaces, await requestFor(repo, 'r1')));
    const calls = join(await temporaryFolder(), 'calls');
    await stubGit(`echo "$PWD $GIT_OPTIONAL_LOCKS $*" >> ${calls}; exec $GIT "$@"`);
    await watchWhile(run, () => run.write('README.md', 'work\n'));
    const statuses = (await readFile(calls, 'utf8'))
      .split('\n')
      .filter((line) => line.startsWith(`${repo.root} `) && line.includes(' status '));
    expect(statuses).toHaveLength(2);
    for (const line of statuses) expect(line).toContain(`${repo.root} 0 `);
  });
});
