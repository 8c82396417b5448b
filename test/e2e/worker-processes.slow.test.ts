import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import type { StartedCli } from '../../testing/cli.ts';
import { markedProcesses } from './marked-processes.ts';
import { onQueue } from './queue-scene.ts';
import { fixture, type Scene, test, until } from './scene.ts';

/** Starts a worker process and waits until its agent works on the run. */
async function workUntilBusy(scene: Scene, runId: string): Promise<StartedCli> {
  const worker = scene.cli.start(['worker', '--slots', '2']);
  await until(() => existsSync(join(scene.checkout(runId), 'half.txt')));
  return worker;
}

function agentStarts(scene: Scene, runId: string): readonly string[] {
  return scene
    .record(runId)
    .eventsOf('runner_started')
    .map(({ step_id: step, payload }) => `${step}@${payload.attempt}`);
}

describe('a worker process', () => {
  test('starts a submitted run, leaves it at its gate, and continues it after the answer', async ({
    openScene,
  }) => {
    const scene = await openScene();
    const { conductor, submit, reasonOf } = onQueue(scene);
    const runId = await submit('gate');
    expect(await reasonOf(runId)).toBe('no worker is running; start one with conductor worker');
    const first = await conductor('worker', '--once');
    expect([first.code, first.stderr]).toEqual([
      0,
      expect.stringContaining(`run ${runId}: waiting for approval at gate`),
    ]);
    expect(await reasonOf(runId)).toBe('waits for a message: an answer to its gate, or a cancel');
    expect((await conductor('worker', '--once', '--json')).stdout).toContain('"driven": []');
    expect((await conductor('approve', runId)).code).toBe(0);
    const second = await conductor('worker', '--once');
    expect(second.stderr).toContain(`run ${runId}: ended: success`);
    expect(await reasonOf(runId)).toBe('not queued');
    expect((await conductor('verify', runId)).code).toBe(0);
    expect((await conductor('replay', runId)).code).toBe(0);
  });

  test('is replaced by the next one when it is killed, and no attempt starts twice', async ({
    openScene,
  }) => {
    const scene = await openScene();
    const { conductor, submit } = onQueue(scene);
    const runId = await submit('interrupted');
    const worker = await workUntilBusy(scene, runId);
    worker.kill('SIGKILL');
    await worker.done;
    const { stderr } = await conductor('worker', '--once');
    expect(stderr).toContain(`continuing run ${runId}`);
    expect(stderr).toContain(`run ${runId}: ended: success`);
    expect(agentStarts(scene, runId)).toEqual(['implement@1', 'implement@2', 'check@1']);
    expect((await conductor('replay', runId)).code).toBe(0);
  });

  test('ends its agents and gives its runs back when it is asked to stop', async ({ openScene }) => {
    const scene = await openScene();
    const { conductor, submit } = onQueue(scene);
    const runId = await submit('interrupted');
    const worker = await workUntilBusy(scene, runId);
    worker.kill('SIGTERM');
    const { code, stderr } = await worker.done;
    expect([code, stderr]).toEqual([130, expect.stringContaining('interrupted and given back')]);
    expect(markedProcesses(runId)).toEqual([]);
    expect((await conductor('worker', '--once')).stderr).toContain(`run ${runId}: ended: success`);
  });

  test('ends a run that another process cancels, and a follower of the run is told', async ({
    openScene,
  }) => {
    const scene = await openScene();
    const { conductor, submit, reasonOf } = onQueue(scene);
    const runId = await submit('interrupted');
    const worker = await workUntilBusy(scene, runId);
    expect(await reasonOf(runId)).toContain('driven by');
    const cancelled = await conductor('cancel', runId, '--comment', 'wrong branch');
    expect([cancelled.code, cancelled.stderr]).toEqual([0, `cancelled run ${runId}\n`]);
    const followed = await conductor('resume', runId);
    expect([followed.code, followed.stderr]).toEqual([130, expect.stringContaining('cancelled')]);
    worker.kill('SIGTERM');
    await worker.done;
  });

  test('drives a run that is submitted and followed, and its labels keep it from others', async ({
    openScene,
  }) => {
    const scene = await openScene();
    const { conductor, submit, awaitReason } = onQueue(scene);
    const narrow = scene.cli.start(['worker', '--label', 'agent=harness-writer', '--name', 'narrow']);
    await until(() => narrow.stderr().includes('worker narrow:'));
    const waiting = await submit('success');
    await awaitReason(waiting, 'no worker has agent=actor');
    const wide = scene.cli.start(['worker', '--label', 'agent=actor', '--name', 'wide']);
    const followed = await conductor('run', fixture('success'));
    expect(followed.code, followed.stderr).toBe(0);
    expect(scene.record(followed.stdout.trim()).status.outcome).toBe('success');
    await awaitReason(waiting, 'not queued');
    for (const worker of [narrow, wide]) worker.kill('SIGTERM');
    await Promise.all([narrow.done, wide.done]);
    expect((await conductor('engine', 'status')).stdout).toContain('none; start one with conductor worker');
  });
});
