import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, truncate, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { removeTree } from '../../../src/adapters/workspace/files/deep-folders.ts';
import { OversizedChange } from '../../../src/contracts/run/oversized-change.ts';
import { listFiles, type Run, startRun, temporaryFolder } from './fixture.ts';

const BOUNDS = { bytes: 100_000, files: 50 };
const start = () =>
  startRun({ files: { 'a.txt': 'a\n', '.gitignore': 'out/\n' } }, undefined, { bounds: BOUNDS });

async function makeFiles({ run }: Run, folder: string, count: number): Promise<void> {
  await mkdir(join(run.checkoutPath, folder), { recursive: true });
  for (let at = 0; at < count; at += 1) await writeFile(join(run.checkoutPath, folder, `${at}`), 'x');
}

const CHANGES: [string, (run: Run) => Promise<unknown>, RegExp][] = [
  [
    'a large file',
    ({ write }) => write('big.bin', 'x'.repeat(100_001)),
    /largest big\.bin with 100 kB; a snapshot takes 100 kB/,
  ],
  [
    'a sparse file',
    async ({ write, run }) => {
      await write('sparse.bin', '');
      await truncate(join(run.checkoutPath, 'sparse.bin'), 3e9);
    },
    /largest sparse\.bin with 3\.0 GB/,
  ],
  [
    'a file of the base that grew',
    ({ write }) => write('a.txt', 'x'.repeat(200_000)),
    /largest a\.txt with 200 kB/,
  ],
  [
    'many files',
    (run) => makeFiles(run, 'deep/many', 51),
    /52 new or changed files, most of them in deep\/many; a snapshot takes 50/,
  ],
];

describe('a change that is too large for a snapshot', () => {
  it.each(CHANGES)(
    'is refused with its path, and a restore moves it aside: %s',
    async (_, change, message) => {
      const started = await start();
      const { run, workspaces, write } = started;
      const { commit, tree } = await workspaces.snapshot(run, 'before');
      const before = await listFiles(run.checkoutPath);
      await write('kept.txt', 'work\n');
      await change(started);
      const failure = await workspaces.snapshot(run, 'after').catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(OversizedChange);
      expect(String(failure)).toMatch(message);
      const restored = await workspaces.restore(run, { kind: 'snapshot', commit }, 'after');
      expect(restored.after.tree).toBe(tree);
      expect(await listFiles(run.checkoutPath)).toEqual(before);
      // Nothing is lost.
      const aside = join(dirname(run.checkoutPath), 'displaced');
      const [item = ''] = await readdir(aside);
      expect(await readFile(join(aside, item, 'kept.txt'), 'utf8')).toBe('work\n');
      expect((await workspaces.snapshot(run, 'again')).tree).toBe(tree);
    },
  );

  it('does not count what git ignores', async () => {
    const started = await start();
    await makeFiles(started, 'out', 60);
    await writeFile(join(started.run.checkoutPath, 'out/big'), 'x'.repeat(200_000));
    expect((await started.workspaces.snapshot(started.run, 'one')).tree).toBeTruthy();
  });
});

describe('a folder that is deeper than a path can name', () => {
  it('is removed all the same', async () => {
    const top = join(await temporaryFolder(), 'top');
    const place = process.cwd();
    await mkdir(top);
    process.chdir(top);
    for (let depth = 0; depth < 60; depth += 1) {
      await mkdir('d'.repeat(200));
      process.chdir('d'.repeat(200));
    }
    process.chdir(place);
    await removeTree(top);
    expect(existsSync(top)).toBe(false);
  });
});
