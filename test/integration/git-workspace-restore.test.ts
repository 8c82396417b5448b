import { existsSync } from 'node:fs';
import { chmod, readdir, readFile, readlink, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listFiles, startRun } from './git-workspace-fixture.ts';

describe('restore', () => {
  it('brings content, deleted files, modes, links and types back and takes added files away', async () => {
    const { run, workspaces, write, path, git, repo } = await startRun();
    const outside = join(repo.root, '.tnh', 'outside');
    await repo.write('.tnh/outside/file.txt', 'not yours\n');
    await write('tool.sh', '#!/bin/sh\n');
    await chmod(path('tool.sh'), 0o755);
    await symlink('README.md', path('link'));
    await write('folder/file.txt', 'x\n');
    const before = await listFiles(run.worktreePath);
    const { commit, tree } = await workspaces.snapshot(run, 'one');

    await write('README.md', 'changed\n');
    await rm(path('src'), { recursive: true });
    await write('src', 'a file now\n');
    await chmod(path('tool.sh'), 0o644);
    await rm(path('link'));
    await write('link/inside.txt', 'a folder now\n');
    await rm(path('folder'), { recursive: true });
    await symlink(outside, path('folder'));
    await write('added/deep/file.txt', 'x\n');

    const restored = await workspaces.restore(run, { kind: 'snapshot', commit }, 'one');
    expect(await listFiles(run.worktreePath)).toEqual(before);
    expect(restored.after).toEqual({ commit, tree });
    expect(existsSync(path('added'))).toBe(false);
    expect(await git('diff', '--cached', '--name-only')).toBe('');
    expect(await readdir(outside)).toEqual(['file.txt']);
    expect(await readFile(join(outside, 'file.txt'), 'utf8')).toBe('not yours\n');
  });

  it('goes back to the base', async () => {
    const { run, workspaces, write, path } = await startRun();
    const before = await listFiles(run.worktreePath);
    await write('a.txt', 'a\n');
    await rm(path('README.md'));
    const restored = await workspaces.restore(run, { kind: 'base' }, 'rollback');
    expect(await listFiles(run.worktreePath)).toEqual(before);
    expect(restored.after.commit).toBe(run.baseSha);
  });

  it('keeps what was there under a salvage ref, and never replaces one', async () => {
    const { run, workspaces, write, repo } = await startRun();
    await write('a.txt', 'first\n');
    const first = await workspaces.restore(run, { kind: 'base' }, 'implement@1');
    await write('a.txt', 'second\n');
    const second = await workspaces.restore(run, { kind: 'base' }, 'implement@1');
    expect(first.salvageRef).toBe('refs/conductor/salvage/r1/implement@1');
    expect(second.salvageRef).toBe('refs/conductor/salvage/r1/implement@1-2');
    expect(await repo.git('show', `${first.salvageRef}:a.txt`)).toBe('first\n');
    expect(await repo.git('show', `${second.before.commit}:a.txt`)).toBe('second\n');
  });

  it('can go to a salvage, which undoes a restore', async () => {
    const { run, workspaces, write } = await startRun();
    await write('a.txt', 'first\n');
    const before = await listFiles(run.worktreePath);
    const { before: salvaged } = await workspaces.restore(run, { kind: 'base' }, 'one');
    await workspaces.restore(run, { kind: 'snapshot', commit: salvaged.commit }, 'two');
    expect(await listFiles(run.worktreePath)).toEqual(before);
  });

  it('leaves ignored files and the run folder where they are', async () => {
    const { run, workspaces, write, read, path } = await startRun();
    await write('debug.log', 'old\n');
    const { commit } = await workspaces.snapshot(run, 'one');
    await write('debug.log', 'new\n');
    await write('node_modules/a.js', 'x\n');
    await write('.tnh/run/r1/notes.txt', 'notes\n');
    await write('a.txt', 'a\n');
    await workspaces.restore(run, { kind: 'snapshot', commit }, 'one');
    expect(await read('debug.log')).toBe('new\n');
    expect(await read('node_modules/a.js')).toBe('x\n');
    expect(await read('.tnh/run/r1/notes.txt')).toBe('notes\n');
    expect(await readlink(path('.tnh/run/r1/harness'))).toBe(run.harnessDir);
  });

  it('salvages a file of the snapshot that the agent has since made ignored', async () => {
    const { run, workspaces, write, read, repo } = await startRun();
    await write('notes.txt', 'before\n');
    const { commit } = await workspaces.snapshot(run, 'one');
    await write('notes.txt', 'precious\n');
    await write('.gitignore', '*.txt\n');
    const { salvageRef } = await workspaces.restore(run, { kind: 'snapshot', commit }, 'one');
    expect(await read('notes.txt')).toBe('before\n');
    expect(await repo.git('show', `${salvageRef}:notes.txt`)).toBe('precious\n');
  });

  it('puts a file back where an ignored folder stands now', async () => {
    const { run, workspaces, write, read, path } = await startRun();
    await write('out', 'a file\n');
    const { commit } = await workspaces.snapshot(run, 'one');
    await rm(path('out'));
    await write('.gitignore', 'out/\n');
    await write('out/cache.bin', 'x\n');
    await workspaces.restore(run, { kind: 'snapshot', commit }, 'one');
    expect(await read('out')).toBe('a file\n');
  });
});
