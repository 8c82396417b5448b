import { createHash } from 'node:crypto';
import { describe, expect } from 'vitest';
import { listFiles } from '../integration/workspace/fixture.ts';
import { type Scene, test } from './scene.ts';

async function rollBack(scene: Scene, workflow: string) {
  const { code, runId } = await scene.run(workflow);
  expect(code).toBe(1);
  const record = scene.record(runId);
  expect(record.finalState).toBe('failed error error\n');
  const [rollback] = record.eventsOf('rollback_completed');
  if (rollback === undefined) throw new Error('nothing was rolled back');
  return { runId, record, rollback: rollback.payload };
}

const sha256 = (content: string | Uint8Array) => createHash('sha256').update(content).digest('hex');

describe('a rollback', () => {
  test('to pre_run restores every byte and mode of the base', async ({ openScene }) => {
    const scene = await openScene();
    const base = await listFiles(scene.repo.root);
    const { runId, record, rollback } = await rollBack(scene, 'rollback-pre-run');
    expect(rollback.target).toBe('pre_run');
    expect(await listFiles(scene.checkout(runId))).toEqual(base);
    const { base_sha, head_sha } = record.metadata.workspace;
    expect(head_sha).toBe(base_sha);
  });

  test('to pre_step keeps what the step before did, and no more', async ({ openScene }) => {
    const scene = await openScene();
    const base = await listFiles(scene.repo.root);
    const { runId, rollback } = await rollBack(scene, 'rollback-pre-step');
    expect(rollback.target).toBe('pre_step');
    const { 'keep/old.txt': _deleted, ...others } = base;
    expect(await listFiles(scene.checkout(runId))).toEqual({
      ...others,
      'answer.txt': base['answer.txt']?.replace(/^file/, 'run'),
      'fresh/new.txt': `file ${sha256('new\n')}`,
      'image.bin': `file ${sha256(Buffer.from('00ff0a0d', 'hex'))}`,
    });
  });

  test('keeps what it undid, tracked or not, under a salvage ref, and the difference as evidence', async ({
    openScene,
  }) => {
    const scene = await openScene();
    const { runId, record, rollback } = await rollBack(scene, 'rollback-pre-run');
    const salvageRef = `refs/conductor/salvage/${runId}.undo@1`;
    expect(rollback.salvage_ref).toBe(salvageRef);
    expect(await scene.storeGit(runId, 'show', `${salvageRef}:answer.txt`)).toBe('42\n');
    expect(await scene.storeGit(runId, 'show', `${salvageRef}:fresh/new.txt`)).toBe('new\n');
    const patch = record.evidence('undo', 'workspace_diff');
    for (const path of ['answer.txt', 'fresh/new.txt', 'keep/old.txt', 'image.bin'])
      expect(patch).toContain(path);
  });

  test('leaves its salvage in the workspace until that is removed', async ({ openScene }) => {
    const scene = await openScene();
    const { rollback } = await rollBack(scene, 'rollback-pre-run');
    const inRepository = () =>
      scene.repo.git('for-each-ref', '--format=%(refname)', 'refs/conductor/salvage/');
    expect(await inRepository()).toBe('');
    expect((await scene.conductor('worktree', 'prune', '--all')).code).toBe(0);
    expect(await inRepository()).toBe(`${rollback.salvage_ref}\n`);
    expect(await scene.repo.git('show', `${rollback.salvage_ref}:answer.txt`)).toBe('42\n');
    expect((await scene.conductor('clean', '--keep-runs', '0')).code).toBe(0);
  });
});
