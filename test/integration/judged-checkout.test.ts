import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, readlink, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createGitUpkeep } from '../../src/adapters/git/git-upkeep.ts';
import { createGitSurroundings } from '../../src/adapters/git/observe.ts';
import { forbiddenBy } from '../../src/policy/globs.ts';
import { gitAt } from '../../testing/git-repo.ts';
import { listFiles, type Run, startRun } from './git-workspace-fixture.ts';

const FILES = {
  'src/app.ts': 'export const answer = 41;\n',
  'test/app.test.ts': 'expect 42\n',
  'test/slow.sh': '#!/bin/sh\n',
  'vitest.config.ts': 'include test\n',
  'docs/a.md': 'a\n',
  '.gitignore': 'node_modules/\n*.cache\n',
};

const PROTECTED = ['test/**', 'vitest.config.ts'];

async function openJudged(run: Run, globs: readonly string[] = PROTECTED) {
  const surroundings = createGitSurroundings({
    repoRoot: run.repo.root,
    worktreesDir: join(run.repo.root, '.tnh', 'worktrees'),
    runsDir: join(run.repo.root, '.tnh', 'run'),
    home: undefined,
  });
  const { tree } = await run.workspaces.snapshot(run.run, 'v@1');
  const judged = await surroundings.openJudged(run.run, {
    tree,
    protects: (path) => forbiddenBy(globs, path) !== null,
  });
  onTestFinished(judged.remove);
  return judged;
}

interface Case {
  readonly name: string;
  /** What an agent does in its worktree. */
  readonly act: (run: Run) => Promise<unknown>;
  readonly changed: readonly string[];
  /** Paths that are as at the base, and paths that hold the agent's work; null for one that is not there. */
  readonly seen: Readonly<Record<string, string | null>>;
  readonly globs?: readonly string[];
}

const APP = { 'src/app.ts': 'export const answer = 42;\n' };

const CASES: readonly Case[] = [
  {
    name: 'an edited test',
    act: (run) => run.write('test/app.test.ts', 'expect 41\n'),
    changed: ['test/app.test.ts'],
    seen: { 'test/app.test.ts': 'expect 42\n' },
  },
  {
    name: 'a deleted test',
    act: (run) => rm(run.path('test/app.test.ts')),
    changed: ['test/app.test.ts'],
    seen: { 'test/app.test.ts': 'expect 42\n' },
  },
  {
    name: 'all tests deleted',
    act: (run) => rm(run.path('test'), { recursive: true }),
    changed: ['test/app.test.ts', 'test/slow.sh'],
    seen: { 'test/app.test.ts': 'expect 42\n', 'test/slow.sh': '#!/bin/sh\n' },
  },
  {
    name: 'an added test, which is not there',
    act: (run) => run.write('test/easy.test.ts', 'expect 1\n'),
    changed: ['test/easy.test.ts'],
    seen: { 'test/easy.test.ts': null, 'test/app.test.ts': 'expect 42\n' },
  },
  {
    name: 'a test moved out',
    act: (run) => rename(run.path('test/app.test.ts'), run.path('src/app.test.ts')),
    changed: ['test/app.test.ts'],
    seen: { 'test/app.test.ts': 'expect 42\n', 'src/app.test.ts': 'expect 42\n' },
  },
  {
    name: 'a file moved in',
    act: (run) => rename(run.path('docs/a.md'), run.path('test/a.md')),
    changed: ['test/a.md'],
    seen: { 'test/a.md': null, 'docs/a.md': null },
  },
  {
    name: 'a rename inside',
    act: (run) => rename(run.path('test/app.test.ts'), run.path('test/app.skip.ts')),
    changed: ['test/app.skip.ts', 'test/app.test.ts'],
    seen: { 'test/app.skip.ts': null, 'test/app.test.ts': 'expect 42\n' },
  },
  {
    name: 'a changed configuration',
    act: (run) => run.write('vitest.config.ts', 'exclude test\n'),
    changed: ['vitest.config.ts'],
    seen: { 'vitest.config.ts': 'include test\n' },
  },
  {
    name: 'a run bit',
    act: (run) => chmod(run.path('test/slow.sh'), 0o755),
    changed: ['test/slow.sh'],
    seen: { 'test/slow.sh': '#!/bin/sh\n' },
  },
  {
    name: 'a test that became a link',
    act: (run) =>
      rm(run.path('test/app.test.ts')).then(() => symlink('../src/app.ts', run.path('test/app.test.ts'))),
    changed: ['test/app.test.ts'],
    seen: { 'test/app.test.ts': 'expect 42\n' },
  },
  {
    name: 'the folder of tests that became a link',
    act: (run) => rm(run.path('test'), { recursive: true }).then(() => symlink('src', run.path('test'))),
    changed: ['test', 'test/app.test.ts', 'test/slow.sh'],
    seen: { 'test/app.test.ts': 'expect 42\n' },
  },
  {
    name: 'a folder in the place of a test',
    act: (run) => rm(run.path('test/app.test.ts')).then(() => run.write('test/app.test.ts/x', 'x\n')),
    changed: ['test/app.test.ts', 'test/app.test.ts/x'],
    seen: { 'test/app.test.ts': 'expect 42\n' },
  },
  {
    name: 'a file that is not protected in the place of a folder of tests',
    act: (run) => rm(run.path('test'), { recursive: true }).then(() => run.write('test', 'x\n')),
    changed: ['test/app.test.ts'],
    seen: { 'test/app.test.ts': 'expect 42\n', 'test/slow.sh': null },
    globs: ['test/*.test.ts'],
  },
  {
    name: 'a name with spaces, a colon and letters',
    act: (run) => run.write('test/:(top) ünïcode.ts', 'x\n'),
    changed: ['test/:(top) ünïcode.ts'],
    seen: { 'test/:(top) ünïcode.ts': null },
  },
  {
    name: 'nothing protected',
    act: (run) => run.write('docs/b.md', 'b\n'),
    changed: [],
    seen: { 'docs/b.md': 'b\n', 'docs/a.md': 'a\n' },
  },
];

describe('the checkout that validators judge in', () => {
  it.each(CASES)(
    'has the work, and the protected paths of the base, after $name',
    async ({ act, changed, seen, globs }) => {
      const run = await startRun({ files: FILES });
      await run.write('src/app.ts', APP['src/app.ts']);
      await act(run);
      const worked = await listFiles(run.run.worktreePath);
      const judged = await openJudged(run, globs);
      expect(judged.changed).toEqual(changed);
      for (const [path, content] of Object.entries({ ...APP, ...seen })) {
        const at = join(judged.worktreePath, path);
        expect(existsSync(at) ? await readFile(at, 'utf8') : null).toBe(content);
      }
      const there = await listFiles(judged.worktreePath);
      for (const path of changed) expect(there[path]).toBe((await baseFiles(run))[path]);
      await judged.remove();
      expect(await listFiles(run.run.worktreePath)).toEqual(worked);
    },
  );

  it('has nothing that git ignores, so that tampered packages and caches are not trusted', async () => {
    const run = await startRun({ files: FILES });
    await run.write('node_modules/expect/index.js', 'always true\n');
    await run.write('result.cache', 'passed\n');
    const judged = await openJudged(run);
    expect(Object.keys(await listFiles(judged.worktreePath)).sort()).toEqual(Object.keys(FILES).sort());
  });

  it('leads to the harness folder of the run, and shows the change as one that is not committed', async () => {
    const run = await startRun({ files: FILES });
    await run.write('src/app.ts', APP['src/app.ts']);
    await run.write('src/new.ts', 'new\n');
    const judged = await openJudged(run);
    expect(await readlink(join(judged.worktreePath, '.tnh/run/r1/harness'))).toBe(run.run.harnessDir);
    expect(await gitAt(judged.worktreePath, 'status', '--porcelain')).toBe(
      await run.git('status', '--porcelain'),
    );
    expect((await gitAt(judged.worktreePath, 'rev-parse', 'HEAD')).trim()).toBe(run.run.baseSha);
  });

  it('keeps what validators leave there out of the change, and is gone afterwards', async () => {
    const run = await startRun({ files: FILES });
    await run.write('src/app.ts', APP['src/app.ts']);
    const judged = await openJudged(run);
    const before = await run.workspaces.snapshot(run.run, 'before');
    const left = join(judged.worktreePath, 'coverage/locked/report.txt');
    await mkdir(dirname(left), { recursive: true });
    await writeFile(left, 'x\n');
    await chmod(dirname(left), 0o500);
    await rm(join(judged.worktreePath, '.git'));
    await judged.remove();
    expect((await run.workspaces.snapshot(run.run, 'after')).tree).toBe(before.tree);
    expect(existsSync(judged.worktreePath)).toBe(false);
    expect((await run.repo.git('worktree', 'list')).trim().split('\n')).toHaveLength(2);
  });

  it('is made anew where a killed conductor left one', async () => {
    const run = await startRun({ files: FILES });
    const first = await openJudged(run);
    await writeFile(join(first.worktreePath, 'test/app.test.ts'), 'tampered\n');
    const second = await openJudged(run);
    expect(second.worktreePath).toBe(first.worktreePath);
    expect(await readFile(join(second.worktreePath, 'test/app.test.ts'), 'utf8')).toBe('expect 42\n');
  });

  it('is listed with its run, and goes with its worktree', async () => {
    const run = await startRun({ files: FILES });
    const judged = await openJudged(run);
    const upkeep = createGitUpkeep({
      repoRoot: run.repo.root,
      worktreesDir: join(run.repo.root, '.tnh', 'worktrees'),
    });
    const listed = (await upkeep.worktrees()).map(({ runId, path }) => [runId, path]);
    expect(listed).toEqual([
      ['r1', run.run.worktreePath],
      ['r1', judged.worktreePath],
    ]);
    expect(await upkeep.removeWorktree(run.run)).toMatchObject({ ok: true, removed: true });
    expect(await upkeep.worktrees()).toEqual([]);
    expect(existsSync(judged.worktreePath)).toBe(false);
  });

  it('runs no filter and no hook that the configuration names', async () => {
    const run = await startRun({ files: { ...FILES, '.gitattributes': '*.ts filter=evil\n' } });
    const trace = join(run.repo.root, '..', 'trace');
    await run.repo.git('config', 'filter.evil.smudge', `touch ${trace}; cat`);
    onTestFinished(async () => void (await run.repo.git('config', '--unset', 'filter.evil.smudge')));
    await run.write('src/app.ts', APP['src/app.ts']);
    await openJudged(run);
    expect(existsSync(trace)).toBe(false);
  });
});

/** The files of the commit that the run started from, as a plain clone has them. */
async function baseFiles(run: Run): Promise<Record<string, string>> {
  const folder = join(run.repo.root, '..', 'base');
  if (!existsSync(folder)) await promisify(execFile)('git', ['clone', '-q', run.repo.root, folder]);
  return listFiles(folder);
}
