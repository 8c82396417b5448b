import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createGitUpkeep } from '../../src/adapters/git/git-upkeep.ts';
import { folderSize } from '../../src/adapters/upkeep/folder-size.ts';
import { removeRecord } from '../../src/adapters/upkeep/record-removal.ts';
import { gitAt } from '../../testing/git-repo.ts';
import { type Run, startRun, temporaryFolder } from './git-workspace-fixture.ts';

const upkeepOf = ({ repo, run }: Run) =>
  createGitUpkeep({ repoRoot: repo.root, worktreesDir: dirname(run.worktreePath) });

describe('removing a worktree', () => {
  it('keeps what is not on the branch, ignored files too', async () => {
    const started = await startRun();
    const { run, write, repo } = started;
    await write('new.txt', 'new\n');
    await write('debug.log', 'ignored\n');
    await write('node_modules/big.bin', new Uint8Array(33 * 1024 * 1024));
    const removal = await upkeepOf(started).removeWorktree(run);
    expect(removal).toEqual({
      ok: true,
      removed: true,
      salvageRef: 'refs/conductor/salvage/r1/worktree',
      notes: ['too large to keep: node_modules/'],
    });
    expect(existsSync(run.worktreePath)).toBe(false);
    expect(await repo.git('show', 'refs/conductor/salvage/r1/worktree:new.txt')).toBe('new\n');
    expect(await repo.git('show', 'refs/conductor/salvage/r1/worktree^2:debug.log')).toBe('ignored\n');
    expect(await upkeepOf(started).removeWorktree(run)).toMatchObject({ ok: true, removed: false });
  });

  it('keeps nothing twice', async () => {
    const started = await startRun();
    await started.write('new.txt', 'new\n');
    await started.workspaces.commit(started.run, 'work');
    expect(await upkeepOf(started).removeWorktree(started.run)).toMatchObject({ salvageRef: null });
  });

  it('keeps a commit that only a HEAD without a folder leads to', async () => {
    const started = await startRun();
    const { run, git, repo } = started;
    await git('checkout', '--quiet', '--detach');
    await git('commit', '--quiet', '--allow-empty', '--message=loose');
    const loose = await git('rev-parse', 'HEAD');
    await rm(run.worktreePath, { recursive: true });
    const removal = await upkeepOf(started).removeWorktree(run);
    expect(removal).toMatchObject({ ok: true, salvageRef: 'refs/conductor/salvage/r1/worktree' });
    expect(await repo.git('rev-parse', 'refs/conductor/salvage/r1/worktree')).toBe(loose);
    expect(await repo.git('worktree', 'list')).not.toContain('r1');
  });

  it.each<[string, (run: Run) => Promise<unknown>, RegExp]>([
    [
      'holds a repository of its own',
      async ({ git, write }) => {
        await git('init', '--quiet', 'nested');
        await write('nested/a.txt', 'a\n');
      },
      /holds repositories of its own: nested/,
    ],
    [
      'holds a repository in a folder that it had before',
      ({ git }) => git('init', '--quiet', 'src'),
      /holds repositories of its own: src/,
    ],
    [
      'is locked',
      ({ repo, run }) => repo.git('worktree', 'lock', '--reason=mine', run.worktreePath),
      /is locked: mine/,
    ],
    [
      'is a link to somewhere else',
      async ({ repo, run }) => {
        await rm(run.worktreePath, { recursive: true });
        await symlink(repo.root, run.worktreePath);
      },
      /is not a folder/,
    ],
    [
      'belongs to another repository',
      async ({ repo, run }) => {
        await repo.git('worktree', 'remove', '--force', run.worktreePath);
        await gitAt(repo.root, 'init', '--quiet', run.worktreePath);
        await writeFile(join(run.worktreePath, 'theirs.txt'), 'theirs\n');
      },
      /is not a worktree of this repository/,
    ],
  ])('leaves one alone that %s', async (_, prepare, reason) => {
    const started = await startRun();
    await prepare(started);
    const before = await readdir(started.run.worktreePath);
    const removal = await upkeepOf(started).removeWorktree(started.run);
    expect(removal).toEqual({ ok: false, reason: expect.stringMatching(reason) });
    expect(await readdir(started.run.worktreePath)).toEqual(before);
  });
});

describe('removing the refs of a run', () => {
  it('makes a salvage of a branch that nothing else holds, and of values that steps took', async () => {
    const started = await startRun();
    const { run, write, workspaces, repo, sha } = started;
    await write('new.txt', 'new\n');
    await workspaces.snapshot(run, 'one');
    const work = await workspaces.commit(run, 'work');
    await repo.git('update-ref', 'refs/conductor/r1/stash/abc', 'main');
    expect(await upkeepOf(started).removeRefs(run)).toMatchObject({ ok: false });
    await upkeepOf(started).removeWorktree(run);
    const removal = await upkeepOf(started).removeRefs(run);
    expect(removal).toMatchObject({ ok: true, salvageRef: 'refs/conductor/salvage/r1/branch' });
    expect(await sha('refs/conductor/salvage/r1/branch')).toBe(work);
    expect(await sha('refs/conductor/salvage/r1/stash/abc')).toBe(run.baseSha);
    expect(await repo.git('for-each-ref', 'refs/heads/conductor', 'refs/conductor/r1')).toBe('');
    expect(await upkeepOf(started).removeRefs(run)).toMatchObject({ ok: true, salvageRef: null });
  });

  it('makes a salvage of the work of a run whose worktree and branch somebody took away', async () => {
    const started = await startRun();
    const { run, write, workspaces, repo, sha } = started;
    await write('new.txt', 'new\n');
    const work = await workspaces.commit(run, 'work');
    await workspaces.snapshot(run, 'end');
    await repo.git('worktree', 'remove', '--force', run.worktreePath);
    await repo.git('branch', '-D', run.branchName);
    const removal = await upkeepOf(started).removeRefs(run);
    expect(removal).toMatchObject({ ok: true, salvageRef: 'refs/conductor/salvage/r1/branch' });
    expect(await sha('refs/conductor/salvage/r1/branch')).toBe(work);
    expect(await repo.git('for-each-ref', 'refs/conductor/r1')).toBe('');
  });

  it('makes none of a branch that was merged', async () => {
    const started = await startRun();
    const { run, write, workspaces, repo } = started;
    await write('new.txt', 'new\n');
    const work = await workspaces.commit(run, 'work');
    await workspaces.snapshot(run, 'end');
    await repo.git('branch', 'merged', work);
    await upkeepOf(started).removeWorktree(run);
    await repo.git('branch', '-D', run.branchName);
    expect(await upkeepOf(started).removeRefs(run)).toMatchObject({ ok: true, salvageRef: null });
    await repo.git('branch', '-D', 'merged');
  });
});

describe('bringing files back', () => {
  it('restores a salvage with its ignored files, and overwrites none that is there', async () => {
    const started = await startRun();
    const { run, write, read, workspaces, git } = started;
    await write('README.md', 'work\n');
    await write('debug.log', 'lost\n');
    await write('other.log', 'lost\n');
    await workspaces.restore(run, { kind: 'base' }, 'undo@1');
    await write('other.log', 'newer\n');
    const upkeep = upkeepOf(started);
    const [salvage] = await upkeep.salvages();
    if (salvage === undefined) throw new Error('nothing was salvaged');
    expect(await upkeep.worktreeState(run)).toBe('clean');
    expect((await upkeep.contents(salvage)).files.map(({ path }) => path)).toEqual(['README.md']);
    await upkeep.bringBackFiles(run, salvage);
    expect(await read('README.md')).toBe('work\n');
    expect(await read('debug.log')).toBe('lost\n');
    expect(await read('other.log')).toBe('newer\n');
    expect(await git('status', '--porcelain')).toBe(' M README.md\n');
    expect(await upkeep.worktreeState(run)).toBe('changed');
    await expect(upkeep.bringBackFiles(run, salvage)).rejects.toThrow('not committed');
  });

  it('is refused where it would write over a file that only the salvage does not ignore', async () => {
    const started = await startRun();
    const { run, write, read, workspaces } = started;
    await write('.gitignore', '');
    await write('data.log', 'salvaged\n');
    await workspaces.restore(run, { kind: 'base' }, 'undo@1');
    await write('data.log', 'newer\n');
    const upkeep = upkeepOf(started);
    const [salvage] = await upkeep.salvages();
    if (salvage === undefined) throw new Error('nothing was salvaged');
    await expect(upkeep.bringBackFiles(run, salvage)).rejects.toThrow('not committed');
    expect(await read('data.log')).toBe('newer\n');
  });

  it('lists the worktrees of runs and no others', async () => {
    const started = await startRun();
    const own = join(await temporaryFolder(), 'own');
    await started.repo.git('worktree', 'add', '--quiet', '--detach', own);
    const upkeep = upkeepOf(started);
    const listed = { runId: 'r1', path: started.run.worktreePath, branchName: started.run.branchName };
    expect(await upkeep.worktrees()).toEqual([{ ...listed, present: true }]);
    await rm(started.run.worktreePath, { recursive: true });
    expect(await upkeep.worktrees()).toEqual([{ ...listed, present: false }]);
  });
});

describe('removing a record', () => {
  const RUN = '01990000-0000-7000-8000-000000000000';

  async function makeRecord(at = `.tnh/run/${RUN}`) {
    const repoRoot = await temporaryFolder();
    const runsDir = join(repoRoot, '.tnh/run');
    const folder = join(repoRoot, at);
    for (const name of ['artifacts/fix', 'harness', 'logs'])
      await mkdir(join(folder, name), { recursive: true });
    await mkdir(runsDir, { recursive: true });
    const outside = join(repoRoot, 'outside');
    await mkdir(outside);
    await writeFile(join(outside, 'precious.txt'), 'precious\n');
    await symlink(outside, join(folder, 'artifacts/fix/link'));
    const files = ['status.json', 'metadata.json', 'events.ndjson.torn-12', 'status.json.0123456789ab.tmp'];
    for (const name of [...files, 'lock.1.2.ab']) await writeFile(join(folder, name), 'x\n');
    await writeFile(join(folder, 'events.ndjson'), `{"seq":0,"run_id":"${RUN}"}\n`);
    return { place: { repoRoot, runsDir }, folder, outside };
  }

  it('takes all of it away, and nothing that links lead to', async () => {
    const { place, folder, outside } = await makeRecord();
    expect(await removeRecord(place, RUN, { dryRun: true })).toMatchObject({ ok: true, removed: false });
    expect(existsSync(folder)).toBe(true);
    expect(await removeRecord(place, RUN, { dryRun: false })).toMatchObject({ ok: true, removed: true });
    expect(existsSync(folder)).toBe(false);
    expect(await readFile(join(outside, 'precious.txt'), 'utf8')).toBe('precious\n');
    expect(await removeRecord(place, RUN, { dryRun: false })).toMatchObject({ ok: true, removed: false });
  });

  it('finds one that lives elsewhere through its link', async () => {
    const { place, folder } = await makeRecord(`evidence/${RUN}`);
    await symlink(`../../evidence/${RUN}`, join(place.runsDir, RUN));
    expect(await removeRecord(place, RUN, { dryRun: false })).toMatchObject({ ok: true, removed: true });
    expect(existsSync(folder)).toBe(false);
    expect(await readdir(place.runsDir)).toEqual([]);
  });

  it.each<[string, (folder: string) => Promise<unknown>, RegExp]>([
    [
      'holds a foreign file',
      (folder) => writeFile(join(folder, 'notes.md'), ''),
      /not of the run: notes\.md/,
    ],
    ['holds a foreign folder', (folder) => mkdir(join(folder, 'backup')), /not of the run: backup/],
    [
      'is of another run',
      (folder) => writeFile(join(folder, 'events.ndjson'), '{"run_id":"x"}\n'),
      /not the record/,
    ],
    ['has no events', (folder) => rm(join(folder, 'events.ndjson')), /not the record/],
  ])('leaves a folder whole that %s', async (_, prepare, reason) => {
    const { place, folder } = await makeRecord();
    await prepare(folder);
    const before = await readdir(folder);
    expect(await removeRecord(place, RUN, { dryRun: false })).toEqual({
      ok: false,
      reason: expect.stringMatching(reason),
    });
    expect(await readdir(folder)).toEqual(before);
  });

  it('leaves what a link leads to when it is not a run of this repository', async () => {
    const { place } = await makeRecord();
    const foreign = join(await temporaryFolder(), RUN);
    await mkdir(foreign);
    await writeFile(join(foreign, 'events.ndjson'), `{"run_id":"${RUN}"}\n`);
    await rm(join(place.runsDir, RUN), { recursive: true });
    await symlink(foreign, join(place.runsDir, RUN));
    expect(await removeRecord(place, RUN, { dryRun: false })).toMatchObject({ ok: false });
    expect(await readdir(foreign)).toEqual(['events.ndjson']);
  });

  it('is measured without following links', async () => {
    const folder = await temporaryFolder();
    await mkdir(join(folder, 'a/b'), { recursive: true });
    await writeFile(join(folder, 'a/b/c'), '12345');
    await symlink('/usr', join(folder, 'a/usr'));
    expect(await folderSize(folder)).toBe(5 + '/usr'.length);
    expect(await folderSize(join(folder, 'missing'))).toBe(0);
  });
});
