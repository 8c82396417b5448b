import { chmod, lstat, mkdir, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { gitAt } from '../../../testing/git-repo.ts';
import { FILES, listFiles, startRun, upkeepOf } from './fixture.ts';

const NAMES = [
  'with space.txt',
  ' leading and trailing ',
  'ünï — ñ.txt',
  'e\u0301 decomposed.txt',
  '\u{1F600}.txt',
  'line\nfeed.txt',
  'tab\tand "quotes" and \\ backslash',
  '-dash',
  ':(top)pathspec*?[x]',
  '#comment',
  '~tilde',
  'deep/er/and deeper/é\n/file',
];

describe('unusual names of files', () => {
  it('arrive, change, are restored, validated, published and salvaged', async () => {
    const files = Object.fromEntries(NAMES.map((name) => [name, `${name}\n`]));
    const run = await startRun({ files: { ...FILES, ...files }, name: 'my répo with space' });
    const { workspaces, run: workspace } = run;
    const before = await listFiles(workspace.checkoutPath);
    expect(before).toEqual(await listFiles(run.repo.root));
    const base = await workspaces.snapshot(workspace, 'a@1');
    for (const name of NAMES) await run.write(name, 'changed\n');
    const added = 'new\n\u{1F600}.txt';
    await run.write(added, 'new\n');
    const snapshot = await workspaces.snapshot(workspace, 'a@1.after');
    const { files: changed } = await workspaces.diff(workspace, base.tree, snapshot.tree);
    expect(changed.map(({ path }) => path).sort()).toEqual([...NAMES, added].sort());
    const judge = await workspaces.openJudge(workspace, {
      snapshot,
      asAtBase: (path) => path === NAMES[5] || path === NAMES[8],
    });
    expect(new Set(judge.restored)).toEqual(new Set([NAMES[5], NAMES[8]]));
    expect(await readFile(join(judge.path, NAMES[5] ?? ''), 'utf8')).toBe(`${NAMES[5]}\n`);
    const published = await workspaces.publish(workspace, { tree: snapshot.tree, message: 'work\n' });
    const listed = await run.repo.git('diff', '-z', '--name-only', 'main', published.commit);
    expect(listed.split('\0').slice(0, -1).sort()).toEqual([...NAMES, added].sort());
    await workspaces.restore(workspace, { kind: 'base' }, 'a@1');
    expect(await listFiles(workspace.checkoutPath)).toEqual(before);
    await run.write('also\nignored.log', 'ignored\n');
    const removal = await (await upkeepOf(run.repo)).removeWorkspace(workspace);
    expect(removal).toMatchObject({ ok: true });
    expect(await run.repo.git('show', 'refs/conductor/salvage/r1.worktree^2:also\nignored.log')).toBe(
      'ignored\n',
    );
  });

  it('may be no UTF-8', async () => {
    const bytes = Buffer.from('gr\xfc\xdfe.txt', 'latin1');
    const at = (root: string, name: Buffer) => Buffer.concat([Buffer.from(`${root}/`), name]);
    const run = await startRun(undefined, async (repo) => {
      await writeFile(at(repo.root, bytes), 'base\n');
      await repo.git('add', '--all');
      await repo.git('commit', '--quiet', '--message=latin');
    });
    const { workspaces, run: workspace } = run;
    const names = async (root: string) => (await readdir(root, { encoding: 'latin1' })).sort();
    const before = await names(workspace.checkoutPath);
    expect(before).toContain('gr\xfc\xdfe.txt');
    const base = await workspaces.snapshot(workspace, 'a@1');
    const other = Buffer.from('n\xe4u/d\xe9.log', 'latin1');
    await mkdir(at(workspace.checkoutPath, Buffer.from('n\xe4u', 'latin1')));
    for (const name of [bytes, other, Buffer.from('n\xe4u/\xff', 'latin1')])
      await writeFile(at(workspace.checkoutPath, name), 'changed\n');
    const snapshot = await workspaces.snapshot(workspace, 'a@1.after');
    expect((await workspaces.diff(workspace, base.tree, snapshot.tree)).files).toHaveLength(2);
    const judge = await workspaces.openJudge(workspace, { snapshot, asAtBase: () => false });
    expect(await readFile(at(judge.path, bytes), 'utf8')).toBe('changed\n');
    await workspaces.restore(workspace, { kind: 'base' }, 'a@1');
    expect(await names(workspace.checkoutPath)).toEqual(before);
    expect(await readFile(at(workspace.checkoutPath, bytes), 'utf8')).toBe('base\n');
    await rm(at(workspace.checkoutPath, bytes));
    const { tree } = await workspaces.snapshot(workspace, 'b@1');
    const { commit } = await workspaces.publish(workspace, { tree, message: 'work\n' });
    expect(await run.repo.git('-c', 'core.quotePath=true', 'diff', '--name-status', 'main', commit)).toBe(
      'D\t"gr\\374\\337e.txt"\n',
    );
  });
});

describe('kinds of files', () => {
  it('are links and runnable files too, also as the only change', async () => {
    const run = await startRun(undefined, async (repo) => {
      await symlink('README.md', join(repo.root, 'link'));
      await symlink('nowhere', join(repo.root, 'dangling'));
      await symlink('src', join(repo.root, 'folder'));
      await repo.write('run.sh', '#!/bin/sh\n');
      await chmod(join(repo.root, 'run.sh'), 0o755);
      await repo.git('add', '--all');
      await repo.git('commit', '--quiet', '--message=kinds');
    });
    const { workspaces, run: workspace } = run;
    expect(await listFiles(workspace.checkoutPath)).toEqual(await listFiles(run.repo.root));
    expect(await run.git('status', '--porcelain')).toBe('');
    const base = await workspaces.snapshot(workspace, 'a@1');
    await chmod(run.path('run.sh'), 0o644);
    await rm(run.path('link'));
    await symlink('src/app.ts', run.path('link'));
    await rename(run.path('dangling'), run.path('moved'));
    const snapshot = await workspaces.snapshot(workspace, 'a@1.after');
    const { files } = await workspaces.diff(workspace, base.tree, snapshot.tree);
    expect(files.map(({ status, path, newMode }) => `${status} ${path} ${newMode}`)).toEqual([
      'M link 120000',
      'R moved 120000',
      'M run.sh 100644',
    ]);
    const judge = await workspaces.openJudge(workspace, { snapshot, asAtBase: (path) => path === 'run.sh' });
    expect((await lstat(join(judge.path, 'run.sh'))).mode & 0o100).toBe(0o100);
    const { commit } = await workspaces.publish(workspace, { tree: snapshot.tree, message: 'work\n' });
    const raw = await gitAt(run.repo.root, 'ls-tree', commit, 'link', 'run.sh');
    expect(raw).toMatch(/^120000 blob \S+\tlink\n100644 blob \S+\trun\.sh\n$/);
  });
});
