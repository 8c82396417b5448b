import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { GitRepo } from '../../testing/git-repo.ts';
import { listFiles, type Run, startRun, temporaryFolder, testRepo } from './git-workspace-fixture.ts';

const LOCAL_CLONES = ['-c', 'protocol.file.allow=always'];

async function withSubmodule(repo: GitRepo): Promise<void> {
  const other = await testRepo({ files: { 's.txt': 'inside\n' } });
  await repo.git(...LOCAL_CLONES, 'submodule', 'add', '--quiet', other.root, 'sub');
  await repo.git('commit', '--quiet', '--message=submodule');
}

const populate = ({ git }: Run) => git(...LOCAL_CLONES, 'submodule', '--quiet', 'update', '--init');

/** What a snapshot says of an act, and whether the way back leads to where it was. */
async function actAndReturn(run: Run, act: (run: Run) => Promise<unknown>): Promise<string[]> {
  const { workspaces, run: workspace } = run;
  const files = await listFiles(workspace.worktreePath);
  const before = await workspaces.snapshot(workspace, 'a@1');
  await act(run);
  const after = await workspaces.snapshot(workspace, 'a@1.after');
  const diff = await workspaces.diff(workspace, before.tree, after.tree);
  const restored = await workspaces.restore(workspace, { kind: 'snapshot', commit: before.commit }, 'a@1');
  expect(restored.after.tree).toBe(before.tree);
  expect(await listFiles(workspace.worktreePath)).toEqual(files);
  return diff.files.map(({ status, path }) => `${status} ${path}`);
}

const makePipe = (path: string) => promisify(execFile)('mkfifo', [path]);

describe('a snapshot sees and a restore undoes', () => {
  it('files in the place of a submodule that was never fetched', async () => {
    const run = await startRun(undefined, withSubmodule);
    expect(await actAndReturn(run, ({ write }) => write('sub/evil.txt', 'evil\n'))).toEqual([
      'D sub',
      'A sub/evil.txt',
    ]);
    expect(await run.git('status', '--porcelain')).toBe('');
  });

  it.each<[string, readonly [string, string], (run: Run) => Promise<unknown>, readonly string[]]>([
    [
      'a run bit where the configuration says that they do not count',
      ['core.fileMode', 'false'],
      ({ path }) => chmod(path('README.md'), 0o755),
      ['M README.md'],
    ],
    [
      'a new case of a name where the configuration says that it does not count',
      ['core.ignoreCase', 'true'],
      ({ path }) => rename(path('README.md'), path('readme.MD')),
      ['R readme.MD'],
    ],
    [
      'an edit of equal size with the old time where the configuration looks at no more',
      ['core.checkStat', 'minimal'],
      async ({ path, write }) => {
        const { atime, mtime, ctimeMs } = await stat(path('README.md'));
        // Git tells times of change apart by their seconds, and a file's clock may be a little late.
        const nextSecond = (Math.floor(ctimeMs / 1000) + 1) * 1000;
        while (Date.now() < nextSecond + 50) await setImmediate();
        await write('README.md', '# hallo\n');
        await utimes(path('README.md'), atime, mtime);
      },
      ['M README.md'],
    ],
  ])('%s', async (_says, [key, value], act, expected) => {
    const run = await startRun(undefined, async (repo) => {
      await repo.git('config', key, value);
      await repo.git('config', 'core.trustctime', 'false');
    });
    const past = new Date('2020-01-01T00:00:00Z');
    await utimes(run.path('README.md'), past, past);
    expect(await actAndReturn(run, act)).toEqual(expected);
  });

  it('a pipe in the place of a file, in the first snapshot of a process and in later ones', async () => {
    const run = await startRun();
    const act = async () => {
      await rm(run.path('src/app.ts'));
      await makePipe(run.path('src/app.ts'));
      await run.write('new.txt', 'new\n');
    };
    expect(await actAndReturn(run, act)).toEqual(['A new.txt', 'D src/app.ts']);
    await act();
    await run.git('checkout', '--quiet', '--detach');
    await run.workspaces.restore(run.run, { kind: 'base' }, 'b@1');
    expect(Object.keys(await listFiles(run.run.worktreePath))).toEqual(
      expect.arrayContaining(['src/app.ts']),
    );
    expect((await stat(run.path('src/app.ts'))).isFile()).toBe(true);
  });

  it('a pipe that nothing was in the place of', async () => {
    const run = await startRun();
    const { commit } = await run.workspaces.snapshot(run.run, 'a@1');
    await makePipe(run.path('src/pipe'));
    await run.workspaces.restore(run.run, { kind: 'snapshot', commit }, 'a@1');
    expect(await readdir(run.path('src'))).not.toContain('pipe');
  });
});

describe('a restore', () => {
  it('takes a repository out of a folder that the base already had, and keeps it', async () => {
    const run = await startRun();
    const { commit } = await run.workspaces.snapshot(run.run, 'a@1');
    await run.git('init', '--quiet', 'src');
    await run.workspaces.restore(run.run, { kind: 'snapshot', commit }, 'a@1');
    expect(await readdir(run.path('src'))).toEqual(['app.ts', 'old.ts']);
    const displaced = (await readdir(run.path('.tnh/run/r1'))).find((name) => name.startsWith('displaced-'));
    expect(existsSync(run.path(`.tnh/run/r1/${displaced}/content/HEAD`))).toBe(true);
  });

  it('leaves a fetched submodule alone as long as nobody has worked in it', async () => {
    const run = await startRun(undefined, withSubmodule);
    await populate(run);
    const { commit } = await run.workspaces.snapshot(run.run, 'a@1');
    await run.workspaces.restore(run.run, { kind: 'snapshot', commit }, 'a@1');
    expect(await run.read('sub/s.txt')).toBe('inside\n');
    await run.write('sub/s.txt', 'worked on\n');
    await run.workspaces.restore(run.run, { kind: 'snapshot', commit }, 'b@1');
    expect(await readdir(run.path('sub'))).toEqual([]);
  });

  it('to the base takes a fetched submodule away, which no fresh worktree has', async () => {
    const run = await startRun(undefined, withSubmodule);
    await populate(run);
    await run.workspaces.restore(run.run, { kind: 'base' }, 'a@1');
    expect(await readdir(run.path('sub'))).toEqual([]);
  });
});

describe('a snapshot', () => {
  it('runs no filter that the repository in the place of a submodule is configured with', async () => {
    const proof = join(await temporaryFolder(), 'proof');
    const run = await startRun(undefined, withSubmodule);
    await populate(run);
    await run.git('-C', 'sub', 'config', 'filter.x.clean', `touch '${proof}'; cat`);
    const folder = (await run.git('-C', 'sub', 'rev-parse', '--absolute-git-dir')).trim();
    await writeFile(join(folder, 'info', 'attributes'), '* filter=x\n');
    const past = new Date('2020-01-01T00:00:00Z');
    await utimes(run.path('sub/s.txt'), past, past);
    const { commit } = await run.workspaces.snapshot(run.run, 'a@1');
    await run.workspaces.restore(run.run, { kind: 'snapshot', commit }, 'a@1');
    expect(existsSync(proof)).toBe(false);
  });

  it('can be taken after a step had git clear up what its snapshots held', async () => {
    const run = await startRun();
    await run.write('new.txt', 'new\n');
    await run.workspaces.snapshot(run.run, 'a@1');
    await run.git('update-ref', '-d', 'refs/conductor/r1/a@1');
    await run.git('gc', '--quiet', '--prune=now');
    const { commit } = await run.workspaces.snapshot(run.run, 'a@1.after');
    expect(await run.git('show', `${commit}:new.txt`)).toBe('new\n');
  });
});
