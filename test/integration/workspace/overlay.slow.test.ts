import { createHash } from 'node:crypto';
import { chmod, mkdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { NewFile } from '../../../src/ports/workspace/workspace.ts';
import { FILES, listFiles, type Run, startRun, temporaryFolder } from './fixture.ts';

async function newFile(path: string, content: string | Uint8Array): Promise<NewFile> {
  const source = join(await temporaryFolder(), 'bytes');
  await writeFile(source, content);
  return { path, source, sha256: createHash('sha256').update(content).digest('hex') };
}

async function lookAt({ run, workspaces }: Run, path: string, content: string | Uint8Array = 'new\n') {
  const { tree } = await workspaces.snapshot(run, 'look');
  return workspaces.fileInPlace(run, tree, await newFile(path, content));
}

describe('the place for a new file', () => {
  it('is reported with the digest of the file that is there', async () => {
    const scene = await startRun();
    await scene.write('goldens/help.txt', 'untracked\n');
    expect(await lookAt(scene, 'goldens/help.txt')).toEqual({
      kind: 'file',
      sha256: createHash('sha256').update('untracked\n').digest('hex'),
      bytes: 10,
    });
    expect(await lookAt(scene, 'README.md')).toMatchObject({ kind: 'file', bytes: 8 });
    expect(await lookAt(scene, 'goldens/new/other.txt')).toEqual({ kind: 'absent' });
  });

  it('may have a name with characters that git gives a meaning', async () => {
    const scene = await startRun();
    await scene.write(':(top)odd*.txt', 'odd\n');
    await scene.write('odd1.txt', 'another\n');
    expect(await lookAt(scene, ':(top)odd*.txt')).toMatchObject({ kind: 'file', bytes: 4 });
    expect(await lookAt(scene, 'odd*.txt')).toEqual({ kind: 'absent' });
  });

  it.each([
    ['a folder', 'src', /is a folder/],
    ['below a file', 'README.md/x', /through a file/],
    ['a link', 'link', /is a link/],
    ['behind a link', 'away/x', /through a link/],
    ['ignored', 'debug.log', /ignores/],
    ['in an ignored folder', 'node_modules/x/golden.txt', /ignores/],
    ['behind an ignored link', 'node_modules/out/golden.txt', /ignores/],
  ])('is refused if it is %s', async (_, path, why) => {
    const scene = await startRun();
    await symlink('README.md', scene.path('link'));
    await symlink('/tmp', scene.path('away'));
    await mkdir(scene.path('node_modules'));
    await symlink('/tmp', scene.path('node_modules/out'));
    expect(await lookAt(scene, path)).toEqual({ kind: 'refused', why: expect.stringMatching(why) });
  });

  it('is refused if git would store other bytes', async () => {
    const scene = await startRun({ files: { ...FILES, '.gitattributes': '*.txt text\n' } });
    expect(await lookAt(scene, 'golden.txt', 'a\r\nb\r\n')).toMatchObject({ kind: 'refused' });
    expect(await lookAt(scene, 'golden.bin', 'a\r\nb\r\n')).toEqual({ kind: 'absent' });
    expect(await lookAt(scene, 'golden.txt', 'a\nb\n')).toEqual({ kind: 'absent' });
  });
});

describe('an overlay on a snapshot', () => {
  it('is written by a restore, byte for byte, and nothing else changes', async () => {
    const { run, workspaces, write, path, store } = await startRun();
    await write('golden.sh', 'old\n');
    await chmod(path('golden.sh'), 0o755);
    await write('debug.log', 'ignored\n');
    const before = await listFiles(run.checkoutPath);
    const base = await workspaces.snapshot(run, 'before');
    const bytes = Uint8Array.from({ length: 256 }, (_, at) => at);
    const files = [await newFile('golden.sh', 'a\r\nnew\n'), await newFile('goldens/deep/p.png', bytes)];

    const overlay = await workspaces.overlay(run, base.commit, 'goldens', files);
    expect(await listFiles(run.checkoutPath)).toEqual(before);
    expect(await store('rev-parse', 'refs/conductor/snapshot/goldens')).toBe(`${overlay.commit}\n`);
    const { files: changed } = await workspaces.diff(run, base.tree, overlay.tree);
    expect(changed.map((file) => `${file.status} ${file.path}`)).toEqual([
      'M golden.sh',
      'A goldens/deep/p.png',
    ]);

    const target = { kind: 'snapshot', commit: overlay.commit } as const;
    const restored = await workspaces.restore(run, target, 'ask@1');
    expect(restored).toMatchObject({ before: { tree: base.tree }, after: overlay });
    expect(new Uint8Array(await readFile(path('goldens/deep/p.png')))).toEqual(bytes);
    expect(await readFile(path('golden.sh'), 'utf8')).toBe('a\r\nnew\n');
    expect((await stat(path('golden.sh'))).mode & 0o111).not.toBe(0);
    const { 'goldens/deep/p.png': _, 'golden.sh': __, ...rest } = await listFiles(run.checkoutPath);
    const { 'golden.sh': ___, ...kept } = before;
    expect(rest).toEqual(kept);
  });

  it('has the same tree if it is made again', async () => {
    const { run, workspaces } = await startRun();
    const base = await workspaces.snapshot(run, 'before');
    const files = [await newFile('golden.txt', 'new\n')];
    const first = await workspaces.overlay(run, base.commit, 'goldens', files);
    await workspaces.restore(run, { kind: 'snapshot', commit: first.commit }, 'ask@1');
    await workspaces.restore(run, { kind: 'snapshot', commit: base.commit }, 'ask@1');
    expect((await workspaces.overlay(run, base.commit, 'goldens', files)).tree).toBe(first.tree);
  });

  it('is refused if the bytes have another digest', async () => {
    const { run, workspaces } = await startRun();
    const base = await workspaces.snapshot(run, 'before');
    const file = await newFile('golden.txt', 'new\n');
    await writeFile(file.source, 'exchanged\n');
    await expect(workspaces.overlay(run, base.commit, 'goldens', [file])).rejects.toThrow(/not those/);
  });

  it.each(['.git/hooks/pre-commit', 'src/.git/config', '../out.txt', '/etc/x', 'README.md/x', 'src'])(
    'is refused at %s',
    async (path) => {
      const { run, workspaces } = await startRun();
      const base = await workspaces.snapshot(run, 'before');
      const files = [await newFile(path, 'new\n')];
      await expect(workspaces.overlay(run, base.commit, 'goldens', files)).rejects.toThrow();
    },
  );
});
