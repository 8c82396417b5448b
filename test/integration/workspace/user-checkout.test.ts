import { execFileSync } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createGit } from '../../../src/adapters/workspace/git/git-command.ts';
import { readRefs } from '../../../src/adapters/workspace/git/ref-files.ts';
import { type Run, startRun, testRepo } from './fixture.ts';
import { describeNotices, watchWhile } from './watch-while.ts';

describe('the refs of the user', () => {
  it('are all found while git packs them', async () => {
    const repo = await testRepo();
    for (const name of ['one', 'two']) await repo.git('branch', name);
    const gitDir = join(repo.root, '.git');
    const packOnce = (name: string) => {
      if (name === 'refs/heads') execFileSync('git', ['pack-refs', '--all', '--prune'], { cwd: repo.root });
      return false;
    };
    const refs = await readRefs(createGit({ cwd: repo.root }), gitDir, packOnce);
    expect([...refs.keys()].sort()).toEqual(['refs/heads/main', 'refs/heads/one', 'refs/heads/two']);
  });
});

describe('the checkout of the user', () => {
  const undoEdits = async ({ repo }: Run) => {
    await repo.write('README.md', '# hello\n');
    await rm(join(repo.root, 'new.txt'), { force: true });
  };

  it('that changed during a step without a sandbox is a notice with old and new values', async () => {
    const run = await startRun();
    const { traces, settled } = await watchWhile(run, async () => {
      await run.repo.write('README.md', 'edited\n');
      await run.repo.write('new.txt', 'new\n');
      await run.repo.git('branch', 'mine');
    });
    expect(describeNotices(traces.notices)).toEqual([
      `checkout_changed refs/heads/mine: null -> ${run.run.baseSha}`,
      'checkout_changed README.md: null -> .M',
      'checkout_changed new.txt: null -> ??',
    ]);
    expect(traces.notices[0]).toMatchObject({
      message: "changed in your checkout while `a` ran; conductor can't tell by whom",
      salvageRef: null,
    });
    expect([settled.changes, traces.hidden, traces.rewritten]).toEqual([[], [], []]);
    await undoEdits(run);
    await run.repo.git('branch', '-D', 'mine');
  });

  it('is not compared for a sandboxed step', async () => {
    const run = await startRun();
    const { traces } = await watchWhile(run, () => run.repo.write('README.md', 'edited\n'), {
      sandboxed: true,
    });
    expect(traces.notices).toEqual([]);
    await undoEdits(run);
  });

  it('gets a salvage ref for an old value of a ref only if nothing else leads to it', async () => {
    const run = await startRun(undefined, async (repo) => {
      await repo.git('branch', 'reachable');
      const lost = (await repo.git('commit-tree', '-p', 'main', '-m', 'lost', 'main^{tree}')).trim();
      await repo.git('update-ref', 'refs/heads/lost', lost);
    });
    const lost = await run.sha('lost');
    const { traces } = await watchWhile(run, () =>
      run.repo.git('branch', '--quiet', '-D', 'reachable', 'lost'),
    );
    expect(traces.notices.map(({ subject, salvageRef }) => [subject, salvageRef])).toEqual([
      ['refs/heads/lost', 'refs/conductor/salvage/r1.ref/heads/lost'],
      ['refs/heads/reachable', null],
    ]);
    expect(await run.sha('refs/conductor/salvage/r1.ref/heads/lost')).toBe(lost);
    await run.repo.git('branch', 'reachable');
    await run.repo.git('branch', 'lost', lost);
  });

  it('does not show what other runs do', async () => {
    const run = await startRun();
    const { traces } = await watchWhile(run, async () => {
      for (const ref of [
        'refs/heads/conductor/run/demo/r2',
        'refs/conductor/base/r2',
        'refs/conductor/salvage/r2',
      ])
        await run.repo.git('update-ref', ref, 'main');
    });
    expect(traces.notices).toEqual([]);
  });

  it('with very many changes lists some of them and counts the rest', async () => {
    const run = await startRun();
    const names = Array.from({ length: 25 }, (_, index) => `file-${index}.txt`);
    const { traces } = await watchWhile(run, async () => {
      for (const name of names) await run.repo.write(name, 'x\n');
    });
    expect(traces.notices).toHaveLength(21);
    expect(traces.notices.at(-1)?.subject).toBe('5 more files');
    for (const name of names) await rm(join(run.repo.root, name));
  });
});
