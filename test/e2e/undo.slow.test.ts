import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { listFiles } from '../integration/workspace/fixture.ts';
import { type Scene, test } from './scene.ts';
import { listWorkspaces } from './workspace-audit.ts';

/** A run that ended after a rollback; one salvage has what it undid. */
async function rolledBack(scene: Scene): Promise<string> {
  const { code, runId } = await scene.run('rollback-pre-run');
  expect(code).toBe(1);
  return runId;
}

/** As `git branch -D`, which packs refs too. */
function deleteRef(scene: Scene, ref: string): Promise<string> {
  return scene.repo.git('update-ref', '--no-deref', '-d', ref);
}

interface UndoDocument {
  readonly done: boolean;
  readonly salvage: { readonly ref: string; readonly name: string; readonly commit: string };
  readonly into: Readonly<Record<string, string>>;
  readonly files: readonly { readonly path: string }[];
  readonly salvages: readonly { readonly name: string; readonly kind: string }[];
}

async function undo(scene: Scene, ...args: string[]): Promise<UndoDocument> {
  const { code, stdout, stderr } = await scene.conductor('undo', ...args, '--json');
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout) as UndoDocument;
}

describe('undo', () => {
  test('brings the files of a salvage back into the checkout', async ({ openScene }) => {
    const scene = await openScene();
    const runId = await rolledBack(scene);
    const before = await listFiles(scene.checkout(runId));
    const plan = await undo(scene, runId, '--dry-run');
    expect(plan).toMatchObject({ done: false, into: { kind: 'worktree', path: scene.checkout(runId) } });
    expect(plan.files.map(({ path }) => path)).toContain('fresh/new.txt');
    expect(await listFiles(scene.checkout(runId))).toEqual(before);
    const { done, salvage } = await undo(scene, runId, 'undo');
    expect(done).toBe(true);
    expect(salvage.ref).toBe(`refs/conductor/salvage/${runId}.undo@1`);
    expect(await scene.inCheckout(runId, 'answer.txt')).toBe('42\n');
    expect(await scene.inCheckout(runId, 'fresh/new.txt')).toBe('new\n');
    // A second one would overwrite changes that are not in the result, so it makes a branch.
    const again = await undo(scene, runId);
    expect(again.into).toMatchObject({
      kind: 'branch',
      branch: `conductor/undo/${runId}/undo@1`,
      because: 'the workspace has uncommitted changes',
    });
    expect((await scene.repo.git('rev-parse', again.into.branch ?? '')).trim()).toBe(salvage.commit);
    await deleteRef(scene, `refs/heads/${again.into.branch ?? ''}`);
  });

  test('makes a branch when the checkout is gone, or when asked to', async ({ openScene }) => {
    const scene = await openScene();
    const runId = await rolledBack(scene);
    const named = await undo(scene, runId, '--branch', 'rescued');
    expect(named.into).toMatchObject({ kind: 'branch', branch: 'rescued' });
    expect(await scene.repo.git('show', 'rescued:answer.txt')).toBe('42\n');
    expect(await scene.inCheckout(runId, 'answer.txt')).not.toBe('42\n');
    const taken = await scene.conductor('undo', runId, '--branch', 'main');
    expect(taken).toMatchObject({ code: 1 });
    expect(taken.stderr).toContain('already exists, at another commit');
    expect((await scene.conductor('undo', runId, '--branch', 'not..valid')).code).toBe(2);
    await deleteRef(scene, 'refs/heads/rescued');
    await scene.conductor('worktree', 'prune', '--all');
    const { into } = await undo(scene, runId);
    expect(into).toMatchObject({ kind: 'branch', because: 'the workspace is gone' });
    await deleteRef(scene, `refs/heads/${into.branch ?? ''}`);
    await scene.conductor('clean', '--keep-runs', '0');
  });

  test('lists the salvages if none is named', async ({ openScene }) => {
    const scene = await openScene();
    const runId = await rolledBack(scene);
    const added = ['undo@2', 'ref/heads/gone'].map((name) => `refs/conductor/salvage/${runId}.${name}`);
    for (const ref of added) await scene.repo.git('update-ref', ref, 'main');
    const several = await scene.conductor('undo', runId);
    expect(several.code).toBe(2);
    expect(several.stderr).toMatch(/has 2 salvages: undo@\d, undo@\d/);
    const unknown = await scene.conductor('undo', runId, 'undu@2');
    expect(unknown).toMatchObject({ code: 2 });
    expect(unknown.stderr).toContain('did you mean undo@2?');
    const { salvages } = await undo(scene, runId, '--list');
    expect(salvages.map(({ name, kind }) => `${kind} ${name}`).sort()).toEqual([
      'files undo@1',
      'files undo@2',
      'ref ref/heads/gone',
    ]);
    expect((await scene.conductor('undo', runId, '--list')).stdout).toContain('undo@1');
    for (const ref of added) await deleteRef(scene, ref);
  });

  test('says so when nothing was kept', async ({ openScene }) => {
    const scene = await openScene();
    const { runId } = await scene.run('success');
    const { code, stderr } = await scene.conductor('undo', runId);
    expect(code).toBe(1);
    expect(stderr).toContain('has no salvage');
    expect((await scene.conductor('undo', runId, '--ref', 'main')).code).toBe(1);
    expect((await scene.conductor('undo', 'ffff')).code).toBe(2);
  });

  test('puts a moved ref back, and keeps where it was', async ({ openScene }) => {
    const scene = await openScene();
    const { repo } = scene;
    const runId = await rolledBack(scene);
    const base = (await repo.git('rev-parse', 'main')).trim();
    const kept = `refs/conductor/salvage/${runId}.ref/heads/side`;
    await repo.git('update-ref', kept, base);
    const moved = (await repo.git('commit-tree', `${base}^{tree}`, '-p', base, '-m', 'moved')).trim();
    await repo.git('update-ref', 'refs/heads/side', moved);
    expect((await scene.conductor('undo', runId, '--ref', 'other')).stderr).toContain('refs/heads/side');
    expect((await undo(scene, runId, '--ref', 'side', '--dry-run')).done).toBe(false);
    expect((await repo.git('rev-parse', 'side')).trim()).toBe(moved);
    const { into } = await undo(scene, runId, '--ref', 'side');
    expect(into).toMatchObject({ kind: 'ref', ref: 'refs/heads/side', from: moved, to: base });
    expect((await repo.git('rev-parse', 'side')).trim()).toBe(base);
    expect((await repo.git('rev-parse', into.salvage_ref ?? '')).trim()).toBe(moved);
    const again = await undo(scene, runId, '--ref', 'refs/heads/side');
    expect(again.into).toMatchObject({ from: base, to: base, salvage_ref: null });
    await deleteRef(scene, 'refs/heads/side');
    expect((await undo(scene, runId, '--ref', 'side')).into).toMatchObject({ from: null, to: base });
    await deleteRef(scene, 'refs/heads/side');
    await deleteRef(scene, kept);
  });
});

describe('clean', () => {
  test('removes what the retention does not keep, and undo still finds the rest', async ({ openScene }) => {
    const scene = await openScene();
    const { runId: waiting } = await scene.run('gate');
    const runId = await rolledBack(scene);
    const { runId: newest } = await scene.run('success');
    const work = (await scene.repo.git('rev-parse', `conductor/run/success/${newest}`)).trim();
    const edited = join(scene.checkout(runId), 'uncommitted.txt');
    await writeFile(edited, 'a person was here\n');

    const planned = JSON.parse(
      (await scene.conductor('clean', '--keep-runs', '1', '--dry-run', '--json')).stdout,
    );
    const actions = planned.runs.map((run: { run_id: string; action: string }) => [run.run_id, run.action]);
    expect(actions).toEqual([
      [newest, 'kept'],
      [runId, 'would_remove'],
      [waiting, 'kept'],
    ]);
    expect(planned.freed_bytes).toBeGreaterThan(0);
    expect(scene.runIds()).toHaveLength(3);

    const { stdout, code } = await scene.conductor('clean', '--keep-runs', '1', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout).runs[1]).toMatchObject({
      action: 'removed',
      salvage_refs: [`refs/conductor/salvage/${runId}.worktree`],
    });
    expect(scene.runIds().toSorted()).toEqual([newest, waiting].toSorted());
    expect(listWorkspaces(scene.workspacesDir)).toEqual([newest, waiting].toSorted());
    expect(await scene.repo.git('for-each-ref', `refs/conductor/base/${runId}`)).toBe('');
    const { into } = await undo(scene, runId.slice(0, 18), 'worktree');
    expect(await scene.repo.git('show', `${into.branch}:uncommitted.txt`)).toBe('a person was here\n');
    expect(into.because).toBe('the record of the run is gone');
    await deleteRef(scene, `refs/heads/${into.branch ?? ''}`);

    await scene.conductor('clean', '--keep-days', '0');
    expect(scene.runIds()).toEqual([waiting]);
    const kept = await scene.repo.git('rev-parse', `refs/conductor/salvage/${newest}.branch`);
    expect(kept.trim()).toBe(work);
  });

  test('leaves a run whose folder or workspace contains foreign files', async ({ openScene }) => {
    const scene = await openScene();
    const { runId } = await scene.run('success');
    const notes = join(scene.repo.root, '.tnh/run', runId, 'notes.txt');
    await writeFile(notes, 'mine\n');
    const { code, stdout } = await scene.conductor('clean', '--keep-runs', '0');
    expect(code).toBe(1);
    expect(stdout).toContain('contains files that are not part of the record: notes.txt');
    expect(scene.runIds()).toEqual([runId]);
    expect(listWorkspaces(scene.workspacesDir)).toEqual([runId]);
    await rm(notes);
    expect((await scene.conductor('clean', '--keep-runs', '0')).code).toBe(0);
    expect(scene.runIds()).toEqual([]);
  });
});

describe('worktree', () => {
  test('list shows sizes and ages, and prune removes what has ended', async ({ openScene }) => {
    const scene = await openScene();
    const { runId: waiting } = await scene.run('gate');
    const { runId } = await scene.run('success');
    const listed = JSON.parse((await scene.conductor('worktree', 'list', '--json')).stdout);
    expect(listed.worktrees).toMatchObject([
      { run_id: runId, path: scene.checkout(runId), outcome: 'success', present: true, prunable: false },
      { run_id: waiting, state: 'waiting', reason: 'it is waiting for approval' },
    ]);
    expect(listed.worktrees[0].bytes).toBeGreaterThan(0);
    expect((await scene.conductor('worktree', 'list')).stdout).toContain(scene.checkout(runId));

    const kept = JSON.parse((await scene.conductor('worktree', 'prune', '--json')).stdout);
    expect(kept.worktrees.map(({ action }: { action: string }) => action)).toEqual(['kept', 'kept']);
    const pruned = JSON.parse((await scene.conductor('worktree', 'prune', '--all', '--json')).stdout);
    expect(pruned.worktrees).toMatchObject([
      { run_id: runId, action: 'removed', salvage_refs: [] },
      { run_id: waiting, action: 'kept' },
    ]);
    expect(listWorkspaces(scene.workspacesDir)).toEqual([waiting]);
    expect((await scene.conductor('show', runId)).code).toBe(0);
    expect((await scene.conductor('worktree', 'sweep')).code).toBe(2);
    await scene.conductor('clean', '--keep-runs', '0');
  });
});
