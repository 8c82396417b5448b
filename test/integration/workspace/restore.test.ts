import { existsSync } from 'node:fs';
import { chmod, readdir, readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listFiles, startRun, stubGit, temporaryFolder } from './fixture.ts';

describe('a restore', () => {
  it('restores content, deleted files, modes, links and types, and removes added files', async () => {
    const { run, workspaces, write, path, git } = await startRun();
    const outside = await temporaryFolder();
    await writeFile(join(outside, 'file.txt'), 'not yours\n');
    await write('tool.sh', '#!/bin/sh\n');
    await chmod(path('tool.sh'), 0o755);
    await symlink('README.md', path('link'));
    await write('folder/file.txt', 'x\n');
    const before = await listFiles(run.checkoutPath);
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
    expect(await listFiles(run.checkoutPath)).toEqual(before);
    expect(restored.after).toEqual({ commit, tree });
    expect(existsSync(path('added'))).toBe(false);
    expect(await git('status', '--porcelain')).toBe('?? folder/\n?? link\n?? tool.sh\n');
    expect(await readdir(outside)).toEqual(['file.txt']);
    expect(await readFile(join(outside, 'file.txt'), 'utf8')).toBe('not yours\n');
  });

  it('restores the base', async () => {
    const { run, workspaces, write, path } = await startRun();
    const before = await listFiles(run.checkoutPath);
    await write('a.txt', 'a\n');
    await rm(path('README.md'));
    const restored = await workspaces.restore(run, { kind: 'base' }, 'rollback');
    expect(await listFiles(run.checkoutPath)).toEqual(before);
    expect(restored.after.commit).toBe(run.baseSha);
  });

  it('keeps the replaced files under a salvage ref of the store, and never overwrites one', async () => {
    const { run, workspaces, write, store, repo } = await startRun();
    await write('a.txt', 'first\n');
    const first = await workspaces.restore(run, { kind: 'base' }, 'implement@1');
    await write('a.txt', 'second\n');
    const second = await workspaces.restore(run, { kind: 'base' }, 'implement@1');
    expect(first.salvageRef).toBe('refs/conductor/salvage/r1.implement@1');
    expect(second.salvageRef).toBe('refs/conductor/salvage/r1.implement@1-2');
    expect(await store('show', `${first.salvageRef}:a.txt`)).toBe('first\n');
    expect(await store('show', `${second.before.commit}:a.txt`)).toBe('second\n');
    expect(await repo.git('for-each-ref', 'refs/conductor/salvage')).toBe('');
  });

  it('restores a salvage, which undoes an earlier restore', async () => {
    const { run, workspaces, write } = await startRun();
    await write('a.txt', 'first\n');
    const before = await listFiles(run.checkoutPath);
    const { before: salvaged } = await workspaces.restore(run, { kind: 'base' }, 'one');
    await workspaces.restore(run, { kind: 'snapshot', commit: salvaged.commit }, 'two');
    expect(await listFiles(run.checkoutPath)).toEqual(before);
  });

  it('restores ignored files too, and leaves the run folder alone', async () => {
    const { run, workspaces, write, read, path } = await startRun();
    await write('debug.log', 'old\n');
    await write('gone.log', 'gone\r\n');
    await chmod(path('gone.log'), 0o755);
    await symlink('/nowhere', path('link.log'));
    await write('node_modules/deep/a b\n.js', 'x\n');
    const before = await listFiles(run.checkoutPath);
    const { commit } = await workspaces.snapshot(run, 'one');
    await write('debug.log', 'new\n');
    await rm(path('gone.log'));
    await rm(path('link.log'));
    await rm(path('node_modules'), { recursive: true });
    await write('node_modules', 'no folder, and not ignored\n');
    await write('fresh.log', 'fresh\n');
    await write('.tnh/run/r1/notes.txt', 'notes\n');
    await workspaces.restore(run, { kind: 'snapshot', commit }, 'one');
    expect(await listFiles(run.checkoutPath)).toEqual(before);
    expect(await read('.tnh/run/r1/notes.txt')).toBe('notes\n');
    expect(await readlink(path('.tnh/run/r1/harness'))).toBe(run.harnessDir);
  });

  it('salvages ignored files before it removes them', async () => {
    const { run, workspaces, write, store } = await startRun();
    const before = await listFiles(run.checkoutPath);
    await write('debug.log', 'the only copy\n');
    const { salvageRef } = await workspaces.restore(run, { kind: 'base' }, 'one');
    expect(await listFiles(run.checkoutPath)).toEqual(before);
    expect(await store('show', `${salvageRef}^2:debug.log`)).toBe('the only copy\n');
    const { commit } = await workspaces.snapshot(run, 'two');
    const salvaged = await store('rev-parse', salvageRef);
    await workspaces.restore(run, { kind: 'snapshot', commit: salvaged.trim() }, 'two');
    expect(await listFiles(run.checkoutPath)).not.toEqual(before);
    await workspaces.restore(run, { kind: 'snapshot', commit }, 'three');
    expect(await listFiles(run.checkoutPath)).toEqual(before);
  });

  it('moves ignored files aside that are too large to keep, and leaves those that the snapshot had', async () => {
    const { run, workspaces, write, read, path } = await startRun();
    const large = new Uint8Array(33 * 1024 * 1024);
    await write('node_modules/old.bin', large);
    const { commit } = await workspaces.snapshot(run, 'one');
    await write('node_modules/more.js', 'x\n');
    await write('huge.log', large);
    await workspaces.restore(run, { kind: 'snapshot', commit }, 'one');
    expect(await read('node_modules/more.js')).toBe('x\n');
    expect(existsSync(path('huge.log'))).toBe(false);
    const displaced = join(dirname(run.checkoutPath), 'displaced');
    const [item = ''] = await readdir(displaced);
    expect((await readFile(join(displaced, item, 'huge.log'))).length).toBe(large.length);
  });

  it('makes folders writable again that the agent locked', async () => {
    const { run, workspaces, write, path } = await startRun();
    const before = await listFiles(run.checkoutPath);
    await write('src/new/a.txt', 'a\n');
    await chmod(path('src/new'), 0o500);
    await chmod(path('src'), 0o555);
    // Git fails there unless it runs as root.
    const closed = `[ "$(stat -c %a ${path('src')})" = 555 ]`;
    await stubGit(`case "$*" in *"--reset -u"*) if ${closed}; then exit 128; fi ;; esac; exec $GIT "$@"`);
    await workspaces.restore(run, { kind: 'base' }, 'one');
    expect(await listFiles(run.checkoutPath)).toEqual(before);
  });

  it('salvages a file of the snapshot that the agent has since made ignored', async () => {
    const { run, workspaces, write, read, store } = await startRun();
    await write('notes.txt', 'before\n');
    const { commit } = await workspaces.snapshot(run, 'one');
    await write('notes.txt', 'precious\n');
    await write('.gitignore', '*.txt\n');
    const { salvageRef } = await workspaces.restore(run, { kind: 'snapshot', commit }, 'one');
    expect(await read('notes.txt')).toBe('before\n');
    expect(await store('show', `${salvageRef}^2:notes.txt`)).toBe('precious\n');
  });

  it('restores a file that an ignored folder has replaced', async () => {
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
