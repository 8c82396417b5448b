import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, readlink, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { isCoveredBy } from '../../../src/policy/globs.ts';
import { gitAt } from '../../../testing/git-repo.ts';
import { listFiles, makeWitness, type Run, startRun, temporaryFolder, upkeepOf } from './fixture.ts';

const FILES = {
  'src/app.ts': 'export const answer = 41;\n',
  'test/app.test.ts': 'expect 42\n',
  'test/slow.sh': '#!/bin/sh\n',
  'vitest.config.ts': 'include test\n',
  'docs/a.md': 'a\n',
  '.gitignore': 'node_modules/\n*.cache\n',
};

const PROTECTED = ['test/**', 'vitest.config.ts'];

async function openJudge({ workspaces, run }: Run, globs: readonly string[] = PROTECTED) {
  const snapshot = await workspaces.snapshot(run, 'v@1');
  return workspaces.openJudge(run, { snapshot, asAtBase: (path) => isCoveredBy(globs, path) });
}

interface Case {
  readonly name: string;
  /** What an agent does in its checkout. */
  readonly act: (run: Run) => Promise<unknown>;
  /** Protected paths that the agent changed. */
  readonly restored: readonly string[];
  /** The content of some files in the judge checkout; null for one that is missing. */
  readonly seen: Readonly<Record<string, string | null>>;
  readonly globs?: readonly string[];
}

const APP = { 'src/app.ts': 'export const answer = 42;\n' };

const CASES: readonly Case[] = [
  {
    name: 'an edited test',
    act: (run) => run.write('test/app.test.ts', 'expect 41\n'),
    restored: ['test/app.test.ts'],
    seen: { 'test/app.test.ts': 'expect 42\n' },
  },
  {
    name: 'a deleted test',
    act: (run) => rm(run.path('test/app.test.ts')),
    restored: ['test/app.test.ts'],
    seen: { 'test/app.test.ts': 'expect 42\n' },
  },
  {
    name: 'all tests deleted',
    act: (run) => rm(run.path('test'), { recursive: true }),
    restored: ['test/app.test.ts', 'test/slow.sh'],
    seen: { 'test/app.test.ts': 'expect 42\n', 'test/slow.sh': '#!/bin/sh\n' },
  },
  {
    name: 'an added test',
    act: (run) => run.write('test/easy.test.ts', 'expect 1\n'),
    restored: ['test/easy.test.ts'],
    seen: { 'test/easy.test.ts': null, 'test/app.test.ts': 'expect 42\n' },
  },
  {
    name: 'a test moved out',
    act: (run) => rename(run.path('test/app.test.ts'), run.path('src/app.test.ts')),
    restored: ['test/app.test.ts'],
    seen: { 'test/app.test.ts': 'expect 42\n', 'src/app.test.ts': 'expect 42\n' },
  },
  {
    name: 'a file moved in',
    act: (run) => rename(run.path('docs/a.md'), run.path('test/a.md')),
    restored: ['test/a.md'],
    seen: { 'test/a.md': null, 'docs/a.md': null },
  },
  {
    name: 'a rename inside',
    act: (run) => rename(run.path('test/app.test.ts'), run.path('test/app.skip.ts')),
    restored: ['test/app.skip.ts', 'test/app.test.ts'],
    seen: { 'test/app.skip.ts': null, 'test/app.test.ts': 'expect 42\n' },
  },
  {
    name: 'a changed configuration',
    act: (run) => run.write('vitest.config.ts', 'exclude test\n'),
    restored: ['vitest.config.ts'],
    seen: { 'vitest.config.ts': 'include test\n' },
  },
  {
    name: 'a run bit',
    act: (run) => chmod(run.path('test/slow.sh'), 0o755),
    restored: ['test/slow.sh'],
    seen: { 'test/slow.sh': '#!/bin/sh\n' },
  },
  {
    name: 'a test that became a link',
    act: (run) =>
      rm(run.path('test/app.test.ts')).then(() => symlink('../src/app.ts', run.path('test/app.test.ts'))),
    restored: ['test/app.test.ts'],
    seen: { 'test/app.test.ts': 'expect 42\n' },
  },
  {
    name: 'the folder of tests that became a link',
    act: (run) => rm(run.path('test'), { recursive: true }).then(() => symlink('src', run.path('test'))),
    restored: ['test', 'test/app.test.ts', 'test/slow.sh'],
    seen: { 'test/app.test.ts': 'expect 42\n' },
  },
  {
    name: 'a folder in the place of a test',
    act: (run) => rm(run.path('test/app.test.ts')).then(() => run.write('test/app.test.ts/x', 'x\n')),
    restored: ['test/app.test.ts', 'test/app.test.ts/x'],
    seen: { 'test/app.test.ts': 'expect 42\n' },
  },
  {
    name: 'a file that is not protected in the place of a folder of tests',
    act: (run) => rm(run.path('test'), { recursive: true }).then(() => run.write('test', 'x\n')),
    restored: ['test/app.test.ts'],
    seen: { 'test/app.test.ts': 'expect 42\n', 'test/slow.sh': null },
    globs: ['test/*.test.ts'],
  },
  {
    name: 'a name with spaces, a colon and letters',
    act: (run) => run.write('test/:(top) ünïcode.ts', 'x\n'),
    restored: ['test/:(top) ünïcode.ts'],
    seen: { 'test/:(top) ünïcode.ts': null },
  },
  {
    name: 'nothing protected',
    act: (run) => run.write('docs/b.md', 'b\n'),
    restored: [],
    seen: { 'docs/b.md': 'b\n', 'docs/a.md': 'a\n' },
  },
];

describe('the judge checkout', () => {
  it.each(CASES)(
    'has the work of the agent and the protected paths of the base after $name',
    async ({ act, restored, seen, globs }) => {
      const run = await startRun({ files: FILES });
      await run.write('src/app.ts', APP['src/app.ts']);
      await act(run);
      const worked = await listFiles(run.run.checkoutPath);
      const judge = await openJudge(run, globs);
      expect(judge.restored).toEqual(restored);
      for (const [path, content] of Object.entries({ ...APP, ...seen })) {
        const at = join(judge.path, path);
        expect(existsSync(at) ? await readFile(at, 'utf8') : null).toBe(content);
      }
      const files = await listFiles(judge.path);
      const atBase = await baseFiles(run);
      for (const path of restored) expect(files[path]).toBe(atBase[path]);
      expect(await listFiles(run.run.checkoutPath)).toEqual(worked);
    },
  );

  it('lists all changes since the base, with both ends of a rename', async () => {
    const run = await startRun({ files: FILES });
    await rename(run.path('docs/a.md'), run.path('docs/b.md'));
    await chmod(run.path('test/slow.sh'), 0o755);
    const { changes } = await openJudge(run, []);
    expect(changes.map(({ status, path, newMode }) => `${status} ${path} ${newMode}`)).toEqual([
      'D docs/a.md 000000',
      'A docs/b.md 100644',
      'M test/slow.sh 100755',
    ]);
  });

  it('has none of the files that git ignores', async () => {
    const run = await startRun({ files: FILES });
    await run.write('node_modules/expect/index.js', 'always true\n');
    await run.write('result.cache', 'passed\n');
    const judge = await openJudge(run);
    expect(Object.keys(await listFiles(judge.path)).sort()).toEqual(Object.keys(FILES).sort());
  });

  it('leads to the harness folder of the run, and has the change as a commit on the base', async () => {
    const run = await startRun({ files: FILES }, (repo) => repo.git('tag', 'v1'));
    await run.write('src/app.ts', APP['src/app.ts']);
    await run.write('src/new.ts', 'new\n');
    const judge = await openJudge(run);
    const git = (...args: string[]) => gitAt(judge.path, ...args);
    expect(await readlink(join(judge.path, '.tnh/run/r1/harness'))).toBe(run.run.harnessDir);
    expect(await git('status', '--porcelain', '--branch')).toBe('## conductor/run/demo/r1\n');
    expect(await git('rev-parse', 'HEAD^')).toBe(`${run.run.baseSha}\n`);
    expect(await git('diff', '--name-only', 'main')).toBe('src/app.ts\nsrc/new.ts\n');
    expect(await git('describe', '--tags')).toMatch(/^v1-1-g[0-9a-f]+\n$/);
    expect(await git('remote')).toBe('');
  });

  it('is at the base commit for the baseline', async () => {
    const run = await startRun({ files: FILES }, (repo) => repo.git('tag', 'v1'));
    const { baseSha } = run.run;
    const tree = (await run.repo.git('rev-parse', 'HEAD^{tree}')).trim();
    const snapshot = { commit: baseSha, tree };
    const judge = await run.workspaces.openJudge(run.run, { snapshot, asAtBase: () => false });
    expect(judge).toEqual({ path: run.run.judgePath, changes: [], restored: [] });
    expect(await gitAt(judge.path, 'describe', '--tags')).toBe('v1\n');
  });

  it('keeps what validators leave there out of the change', async () => {
    const run = await startRun({ files: FILES });
    await run.write('src/app.ts', APP['src/app.ts']);
    const before = await run.workspaces.snapshot(run.run, 'before');
    const judge = await openJudge(run);
    await writeFile(join(judge.path, 'src/app.ts'), 'formatted\n');
    await writeFile(join(judge.path, 'coverage.txt'), 'x\n');
    expect((await run.workspaces.snapshot(run.run, 'after')).tree).toBe(before.tree);
  });

  it('has nothing left of an earlier validation, except the paths that setup owns', async () => {
    const run = await startRun({ files: FILES }, undefined, { ownedPaths: ['node_modules'] });
    const { script, trace } = await makeWitness();
    const judge = await openJudge(run);
    const git = (...args: string[]) => gitAt(judge.path, ...args);
    const files = await listFiles(judge.path);
    const config = await git('config', '--local', '--list');
    const inJudge = (path: string) => join(judge.path, path);
    for (const path of ['coverage/locked/report.txt', 'a.cache', 'src/new.ts', 'node_modules/pkg/index.js']) {
      await mkdir(dirname(inJudge(path)), { recursive: true });
      await writeFile(inJudge(path), 'x\n');
    }
    await writeFile(inJudge('src/app.ts'), 'export const answer = 40;\n');
    await chmod(inJudge('coverage/locked'), 0o500);
    await rm(inJudge('test'), { recursive: true });
    await symlink(await temporaryFolder(), inJudge('test'));
    await promisify(execFile)('mkfifo', [inJudge('docs/pipe')]);
    await git('init', '--quiet', 'docs');
    await git('init', '--quiet', 'inner');
    await git('config', 'core.fsmonitor', script);
    await git('config', 'alias.status', `!${script}`);
    await mkdir(inJudge('.git/hooks'));
    await writeFile(inJudge('.git/hooks/post-checkout'), await readFile(script), { mode: 0o755 });
    await rm(trace, { force: true });
    const again = await openJudge(run);
    expect(await listFiles(again.path)).toEqual({
      ...files,
      'node_modules/pkg/index.js': expect.any(String),
    });
    expect((await readdir(again.path)).sort()).toEqual([
      '.git',
      '.gitignore',
      '.tnh',
      'docs',
      'node_modules',
      'src',
      'test',
      'vitest.config.ts',
    ]);
    expect(await readdir(inJudge('docs'))).toEqual(['a.md']);
    expect(existsSync(inJudge('.git/hooks'))).toBe(false);
    expect(await git('config', '--local', '--list')).toBe(config);
    expect(await git('status', '--porcelain')).toBe('');
    expect(existsSync(trace)).toBe(false);
  });

  it('is made anew if a validator replaced or deleted its git folder or all of it', async () => {
    const run = await startRun({ files: FILES });
    const { path } = await openJudge(run);
    const files = await listFiles(path);
    for (const damage of [
      () => rm(join(path, '.git'), { recursive: true }),
      () =>
        rm(join(path, '.git'), { recursive: true }).then(() =>
          writeFile(join(path, '.git'), 'gitdir: /tmp\n'),
        ),
      () => rm(path, { recursive: true }),
      () => rm(path, { recursive: true }).then(() => writeFile(path, 'a file\n')),
      () => rm(path, { recursive: true }).then(() => symlink('work', path)),
    ]) {
      await damage();
      await openJudge(run);
      expect(await listFiles(path)).toEqual(files);
      expect(await gitAt(path, 'status', '--porcelain', '--branch')).toBe('## conductor/run/demo/r1\n');
    }
  });

  it('follows the snapshots of a run', async () => {
    const run = await startRun({ files: FILES });
    for (const text of ['one\n', 'two\n', 'one\n']) {
      await run.write('src/app.ts', text);
      if (text === 'two\n') await run.write('src/extra.ts', 'extra\n');
      else await rm(run.path('src/extra.ts'), { force: true });
      const judge = await openJudge(run);
      expect(await listFiles(judge.path)).toEqual(await listFiles(run.run.checkoutPath));
    }
  });

  it('is not a worktree of its own, and is removed with its workspace', async () => {
    const run = await startRun({ files: FILES });
    const judge = await openJudge(run);
    const upkeep = await upkeepOf(run.repo);
    expect((await upkeep.listWorkspaces()).map(({ runId, path }) => [runId, path])).toEqual([
      ['r1', run.run.checkoutPath],
    ]);
    expect(await upkeep.removeWorkspace(run.run)).toMatchObject({ ok: true, removed: true });
    expect(existsSync(judge.path)).toBe(false);
  });
});

/** The files of the commit that the run started from, as a plain clone has them. */
async function baseFiles({ repo }: Run): Promise<Record<string, string>> {
  const folder = join(await temporaryFolder(), 'base');
  await promisify(execFile)('git', ['clone', '-q', repo.root, folder]);
  return listFiles(folder);
}
