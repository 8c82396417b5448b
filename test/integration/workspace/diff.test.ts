import { chmod, readFile, rename, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { FileChange, WorkspaceDiff } from '../../../src/contracts/run/workspace-change.ts';
import { gitAt } from '../../../testing/git-repo.ts';
import { FILES, type Run, startRun, temporaryFolder } from './fixture.ts';

async function diffOf(
  started: Run,
  change: () => Promise<unknown>,
  patchPath?: string,
): Promise<WorkspaceDiff> {
  const { run, workspaces } = started;
  const before = await workspaces.snapshot(run, 'before');
  await change();
  const after = await workspaces.snapshot(run, 'after');
  return workspaces.diff(run, before.tree, after.tree, patchPath);
}

interface Case {
  readonly says: string;
  readonly change: (run: Run) => Promise<unknown>;
  readonly gives: Partial<FileChange>;
}

const cases: readonly Case[] = [
  {
    says: 'an untracked file as added',
    change: (run) => run.write('new.txt', 'a\nb\n'),
    gives: {
      path: 'new.txt',
      status: 'A',
      insertions: 2,
      deletions: 0,
      oldMode: '000000',
      newMode: '100644',
    },
  },
  {
    says: 'a changed file with its counts',
    change: (run) => run.write('src/app.ts', 'export const a = 1;\nchanged\nmore\n'),
    gives: { path: 'src/app.ts', status: 'M', insertions: 2, deletions: 1 },
  },
  {
    says: 'a deleted file',
    change: (run) => rm(run.path('README.md')),
    gives: { path: 'README.md', status: 'D', deletions: 1, newMode: '000000', blob: '0'.repeat(40) },
  },
  {
    says: 'a renamed file with its old path',
    change: (run) => rename(run.path('src/old.ts'), run.path('src/new.ts')),
    gives: { path: 'src/new.ts', oldPath: 'src/old.ts', status: 'R', insertions: 0, deletions: 0 },
  },
  {
    says: 'a change of mode only',
    change: (run) => chmod(run.path('README.md'), 0o755),
    gives: {
      path: 'README.md',
      status: 'M',
      oldMode: '100644',
      newMode: '100755',
      insertions: 0,
      deletions: 0,
    },
  },
  {
    says: 'a binary file without counts',
    change: (run) => run.write('image.bin', Uint8Array.of(0, 1, 2, 255)),
    gives: { path: 'image.bin', status: 'A', insertions: null, deletions: null },
  },
  {
    says: 'a new link',
    change: (run) => symlink('README.md', run.path('link')),
    gives: { path: 'link', status: 'A', newMode: '120000' },
  },
  {
    says: 'a file that became a link as modified',
    change: async (run) => {
      await rm(run.path('README.md'));
      await symlink('src/app.ts', run.path('README.md'));
    },
    gives: { path: 'README.md', status: 'M', oldMode: '100644', newMode: '120000' },
  },
  {
    says: 'a file with a line feed and a tab in its name',
    change: (run) => run.write('a\n\tb "c".txt', 'x\n'),
    gives: { path: 'a\n\tb "c".txt', status: 'A', insertions: 1 },
  },
  {
    says: 'a source file that the agent declares binary with its true counts',
    change: async (run) => {
      await run.write('.gitattributes', '* -diff\n');
      await run.write('src/app.ts', 'one line\n');
    },
    gives: { path: 'src/app.ts', status: 'M', insertions: 1, deletions: 2 },
  },
];

describe('a diff', () => {
  it.each(cases)('shows $says', async ({ change, gives }) => {
    const started = await startRun();
    const diff = await diffOf(started, () => change(started));
    const files = diff.files.filter(({ path }) => path !== '.gitattributes');
    expect(files).toHaveLength(1);
    expect(files[0]).toMatchObject({ oldPath: null, ...gives });
  });

  it('shows nothing between equal trees, and an empty patch', async () => {
    const started = await startRun();
    const patchPath = join(await temporaryFolder(), 'deep', 'er', 'diff.patch');
    const diff = await diffOf(started, async () => undefined, patchPath);
    expect(diff).toEqual({ files: [], insertions: 0, deletions: 0 });
    expect(await readFile(patchPath, 'utf8')).toBe('');
  });

  it('names the object with the new content', async () => {
    const started = await startRun();
    const diff = await diffOf(started, () => started.write('new.txt', 'content\n'));
    expect(await started.store('cat-file', 'blob', diff.files[0]?.blob ?? '')).toBe('content\n');
  });

  it('leaves out ignored files and the run folder, even if the agent commits them', async () => {
    const started = await startRun();
    const diff = await diffOf(started, async () => {
      await started.write('debug.log', 'x\n');
      await started.write('.tnh/run/r1/notes.txt', 'x\n');
      await started.git('add', '--force', '.tnh/run/r1/notes.txt');
      await started.git('commit', '--quiet', '--message=notes');
    });
    expect(diff.files).toEqual([]);
  });

  it('writes a patch that turns the base into the result, with every byte and mode', async () => {
    const started = await startRun({ files: { ...FILES, 'old.bin': Uint8Array.of(0, 1, 2) } }, (user) =>
      user.git('config', 'diff.noprefix', 'true'),
    );
    const { run, workspaces, repo, path } = started;
    const folder = await temporaryFolder();
    const patchPath = join(folder, 'a b', 'diff.patch');
    await diffOf(
      started,
      async () => {
        await started.write('old.bin', Uint8Array.of(0, 3, 4, 255));
        await started.write('new\nline é.txt', 'no line feed at the end');
        await rename(path('src/old.ts'), path('src/new.ts'));
        await chmod(path('README.md'), 0o755);
        await symlink('README.md', path('link'));
      },
      patchPath,
    );
    const { tree } = await workspaces.snapshot(run, 'again');
    const scratch = join(folder, 'scratch');
    await gitAt(repo.root, 'clone', '--quiet', '--no-local', repo.root, scratch);
    await gitAt(scratch, 'apply', '--index', patchPath);
    expect((await gitAt(scratch, 'write-tree')).trim()).toBe(tree);
    expect(await readFile(patchPath, 'utf8')).toMatch(/^rename from src\/old\.ts$/m);
  });
});
