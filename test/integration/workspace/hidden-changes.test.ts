import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { listFiles, type Run, startRun } from './fixture.ts';

/** What a snapshot shows of a change; afterwards a restore must undo it. */
async function changeAndRestore(run: Run, change: (run: Run) => Promise<unknown>): Promise<string[]> {
  const { workspaces, run: workspace } = run;
  const files = await listFiles(workspace.checkoutPath);
  const before = await workspaces.snapshot(workspace, 'a@1');
  await change(run);
  const after = await workspaces.snapshot(workspace, 'a@1.after');
  const diff = await workspaces.diff(workspace, before.tree, after.tree);
  const restored = await workspaces.restore(workspace, { kind: 'snapshot', commit: before.commit }, 'a@1');
  expect(restored.after.tree).toBe(before.tree);
  expect(await listFiles(workspace.checkoutPath)).toEqual(files);
  return diff.files.map(({ status, path }) => `${status} ${path}`);
}

const makePipe = (path: string) => promisify(execFile)('mkfifo', [path]);

describe('a snapshot shows, and a restore undoes,', () => {
  it.each<[string, readonly [string, string], (run: Run) => Promise<unknown>, readonly string[]]>([
    [
      'a run bit if the configuration ignores run bits',
      ['core.fileMode', 'false'],
      ({ path }) => chmod(path('README.md'), 0o755),
      ['M README.md'],
    ],
    [
      'a name in another case if the configuration ignores case',
      ['core.ignoreCase', 'true'],
      ({ path }) => rename(path('README.md'), path('readme.MD')),
      ['R readme.MD'],
    ],
    [
      'an edit with the same size and time if the configuration compares no more than these',
      ['core.checkStat', 'minimal'],
      async ({ path, write }) => {
        const { atime, mtime, ctimeMs } = await stat(path('README.md'));
        // Git compares times of change by seconds, and a file's clock may be a little late.
        const nextSecond = (Math.floor(ctimeMs / 1000) + 1) * 1000;
        while (Date.now() < nextSecond + 50) await setImmediate();
        await write('README.md', '# hallo\n');
        await utimes(path('README.md'), atime, mtime);
      },
      ['M README.md'],
    ],
  ])('%s', async (_says, [key, value], change, expected) => {
    const run = await startRun(undefined, async (repo) => {
      await repo.git('config', key, value);
      await repo.git('config', 'core.trustctime', 'false');
    });
    const past = new Date('2020-01-01T00:00:00Z');
    await utimes(run.path('README.md'), past, past);
    expect(await changeAndRestore(run, change)).toEqual(expected);
  });

  it('a pipe in the place of a file', async () => {
    const run = await startRun();
    const change = async () => {
      await rm(run.path('src/app.ts'));
      await makePipe(run.path('src/app.ts'));
      await run.write('new.txt', 'new\n');
    };
    expect(await changeAndRestore(run, change)).toEqual(['A new.txt', 'D src/app.ts']);
    await change();
    await run.git('checkout', '--quiet', '--detach');
    await run.workspaces.restore(run.run, { kind: 'base' }, 'b@1');
    expect((await stat(run.path('src/app.ts'))).isFile()).toBe(true);
  });

  it('a folder and a file without permissions', async () => {
    const run = await startRun();
    const change = async () => {
      await run.write('src/app.ts', 'changed\n');
      await run.write('secret/a.txt', 'a\n');
      await chmod(run.path('src/app.ts'), 0);
      await chmod(run.path('secret'), 0);
    };
    expect(await changeAndRestore(run, change)).toEqual(['A secret/a.txt', 'M src/app.ts']);
  });
});

describe('a restore', () => {
  it('removes a pipe', async () => {
    const run = await startRun();
    const { commit } = await run.workspaces.snapshot(run.run, 'a@1');
    await makePipe(run.path('src/pipe'));
    await run.workspaces.restore(run.run, { kind: 'snapshot', commit }, 'a@1');
    expect(await readdir(run.path('src'))).not.toContain('pipe');
  });

  it('does not block on a pipe called .gitignore or .gitattributes', async () => {
    const run = await startRun();
    const { commit } = await run.workspaces.snapshot(run.run, 'a@1');
    await mkdir(run.path('deep'));
    for (const name of ['deep/.gitignore', '.gitattributes']) await makePipe(run.path(name));
    await run.workspaces.restore(run.run, { kind: 'snapshot', commit }, 'a@1');
    expect(existsSync(run.path('deep'))).toBe(false);
  });

  it('removes a repository from a folder of the base, and keeps its git folder', async () => {
    const run = await startRun();
    const { commit } = await run.workspaces.snapshot(run.run, 'a@1');
    await run.git('init', '--quiet', 'src');
    await run.workspaces.restore(run.run, { kind: 'snapshot', commit }, 'a@1');
    expect(await readdir(run.path('src'))).toEqual(['app.ts', 'old.ts']);
    const displaced = join(dirname(run.run.checkoutPath), 'displaced');
    const [item = ''] = await readdir(displaced);
    expect(existsSync(join(displaced, item, '.git/HEAD'))).toBe(true);
  });
});

describe('a snapshot', () => {
  it('can be taken after the agent deleted the objects of its repository', async () => {
    const run = await startRun();
    await run.write('new.txt', 'new\n');
    await run.workspaces.snapshot(run.run, 'a@1');
    await run.git('gc', '--quiet', '--prune=now');
    await rm(run.path('.git/objects'), { recursive: true });
    const { commit } = await run.workspaces.snapshot(run.run, 'a@1.after');
    expect(await run.store('show', `${commit}:new.txt`)).toBe('new\n');
  });
});
