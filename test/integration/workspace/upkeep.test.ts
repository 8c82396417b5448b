import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { RefSalvage, Salvage } from '../../../src/ports/upkeep.ts';
import { type Run, startRun, temporaryFolder, upkeepOf } from './fixture.ts';

async function salvageIn({ repo }: Run): Promise<Salvage> {
  const [salvage] = await (await upkeepOf(repo)).listSalvages();
  if (salvage === undefined) throw new Error('nothing was salvaged');
  return salvage;
}

describe('salvages', () => {
  it('are listed from the workspace, and from the repository once the workspace is removed', async () => {
    const run = await startRun();
    await run.write('README.md', 'work\n');
    const { salvageRef, before } = await run.workspaces.restore(run.run, { kind: 'base' }, 'implement@1');
    const expected = {
      runId: 'r1',
      ref: salvageRef,
      name: 'implement@1',
      commit: before.commit,
      of: { kind: 'files', stepId: 'implement' },
      keptAt: expect.stringMatching(/^\d{4}-/),
    };
    const upkeep = await upkeepOf(run.repo);
    expect(await upkeep.listSalvages()).toEqual([{ ...expected, place: 'workspace' }]);
    await upkeep.removeWorkspace(run.run);
    expect(await upkeep.listSalvages()).toEqual([{ ...expected, place: 'repository' }]);
  });

  it('show what they change, compared with the base', async () => {
    const run = await startRun();
    await run.write('README.md', 'work\n');
    await run.workspaces.restore(run.run, { kind: 'base' }, 'undo@1');
    const { files } = await (await upkeepOf(run.repo)).readSalvage(await salvageIn(run));
    expect(files.map(({ status, path }) => `${status} ${path}`)).toEqual(['M README.md']);
  });
});

describe('bringing files back', () => {
  it('restores a salvage with its ignored files, and overwrites none that exist', async () => {
    const run = await startRun();
    const { write, read, git } = run;
    await write('README.md', 'work\n');
    await write('debug.log', 'lost\n');
    await write('other.log', 'lost\n');
    await run.workspaces.restore(run.run, { kind: 'base' }, 'undo@1');
    await write('other.log', 'newer\n');
    const upkeep = await upkeepOf(run.repo);
    const salvage = await salvageIn(run);
    expect(await upkeep.workspaceState(run.run)).toBe('clean');
    await upkeep.restoreFiles(run.run, salvage);
    expect([await read('README.md'), await read('debug.log')]).toEqual(['work\n', 'lost\n']);
    expect(await read('other.log')).toBe('newer\n');
    expect(await git('status', '--porcelain')).toBe(' M README.md\n');
    expect(await upkeep.workspaceState(run.run)).toBe('changed');
    await expect(upkeep.restoreFiles(run.run, salvage)).rejects.toThrow('not in the result');
  });

  it('restores a salvage that is in the repository of the user', async () => {
    const run = await startRun();
    await run.write('README.md', 'work\n');
    const { before, salvageRef } = await run.workspaces.restore(run.run, { kind: 'base' }, 'undo@1');
    await run.repo.git(
      'fetch',
      '--quiet',
      '--no-write-fetch-head',
      `${run.run.checkoutPath}/../store`,
      `${salvageRef}:${salvageRef}`,
    );
    const salvage: Salvage = { ...(await salvageIn(run)), commit: before.commit, place: 'repository' };
    await (await upkeepOf(run.repo)).restoreFiles(run.run, salvage);
    expect(await run.read('README.md')).toBe('work\n');
  });

  it('is refused if it would overwrite a file that only the salvage does not ignore', async () => {
    const run = await startRun();
    await run.write('.gitignore', '');
    await run.write('data.log', 'salvaged\n');
    await run.workspaces.restore(run.run, { kind: 'base' }, 'undo@1');
    await run.write('data.log', 'newer\n');
    const upkeep = await upkeepOf(run.repo);
    await expect(upkeep.restoreFiles(run.run, await salvageIn(run))).rejects.toThrow('data.log');
    expect(await run.read('data.log')).toBe('newer\n');
  });
});

describe('bringing a salvage back as a branch', () => {
  it('creates the branch, and refuses a name that is taken or invalid', async () => {
    const run = await startRun();
    await run.write('README.md', 'work\n');
    const { before } = await run.workspaces.restore(run.run, { kind: 'base' }, 'undo@1');
    const upkeep = await upkeepOf(run.repo);
    const salvage = await salvageIn(run);
    expect(await upkeep.restoreBranch('mine', salvage)).toEqual({ ok: true, made: true });
    expect(await upkeep.restoreBranch('mine', salvage)).toEqual({ ok: true, made: false });
    expect(await upkeep.restoreBranch('main', salvage)).toEqual({ ok: false, reason: 'taken' });
    expect(await upkeep.restoreBranch('@{-1}', salvage)).toEqual({ ok: false, reason: 'invalid' });
    expect(await run.sha('mine')).toBe(before.commit);
    await upkeep.removeWorkspace(run.run);
    expect(await upkeep.restoreBranch('second', await salvageIn(run))).toEqual({ ok: true, made: true });
    await run.repo.git('branch', '--quiet', '-D', 'mine', 'second');
  });
});

describe('restoring a ref of the user', () => {
  it('keeps the value that it replaces', async () => {
    const run = await startRun(undefined, async (repo) => {
      const old = (await repo.git('commit-tree', '-m', 'old', 'main^{tree}')).trim();
      await repo.git('update-ref', 'refs/conductor/salvage/r1.ref/heads/topic', old);
      await repo.git('branch', 'topic');
    });
    const upkeep = await upkeepOf(run.repo);
    const salvage = (await upkeep.listSalvages()).find((each): each is RefSalvage => each.of.kind === 'ref');
    if (salvage === undefined) throw new Error('no ref was salvaged');
    expect(salvage.of).toEqual({ kind: 'ref', refName: 'refs/heads/topic', undone: false });
    const { baseSha } = run.run;
    const undone = 'refs/conductor/salvage/r1.undone/heads/topic';
    expect(await upkeep.restoreRef(salvage)).toEqual({
      from: baseSha,
      to: salvage.commit,
      salvageRef: undone,
      checkout: null,
    });
    expect([await run.sha('topic'), await run.sha(undone)]).toEqual([salvage.commit, baseSha]);
    expect(await upkeep.restoreRef(salvage)).toMatchObject({ from: salvage.commit, salvageRef: null });
    const linked = join(await temporaryFolder(), 'linked');
    await run.repo.git('update-ref', 'refs/heads/topic', baseSha);
    await run.repo.git('worktree', 'add', '--quiet', linked, 'topic');
    expect(await upkeep.restoreRef(salvage)).toMatchObject({ checkout: linked });
    await run.repo.git('worktree', 'remove', '--force', linked);
    await run.repo.git('update-ref', 'refs/heads/topic', baseSha);
  });
});

describe('the list of worktrees', () => {
  it('has the workspaces of runs and no worktree of the user', async () => {
    const run = await startRun();
    const own = join(await temporaryFolder(), 'own');
    await run.repo.git('worktree', 'add', '--quiet', '--detach', own);
    const upkeep = await upkeepOf(run.repo);
    const listed = { runId: 'r1', path: run.run.checkoutPath, branchName: null, linked: false };
    expect(await upkeep.listWorkspaces()).toEqual([{ ...listed, present: true }]);
    await rm(run.run.checkoutPath, { recursive: true });
    expect(await upkeep.listWorkspaces()).toEqual([{ ...listed, present: false }]);
    expect(await upkeep.workspaceState(run.run)).toBe('missing');
    await run.repo.git('worktree', 'remove', own);
  });
});
