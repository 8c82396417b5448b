import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { fixture, type Scene, test, until } from './scene.ts';

/** A run that never ends by itself, in a process of its own. */
async function startStuck(scene: Scene): Promise<{ readonly runId: string; readonly pid: number }> {
  const started = await scene.conductor('run', fixture('interrupted'), '--detach', '--json');
  expect(started, started.stderr).toMatchObject({ code: 0 });
  const { run_id, driver_pid } = JSON.parse(started.stdout);
  await until(() => scene.record(run_id).eventsOf('runner_started').length > 0);
  return { runId: run_id, pid: driver_pid };
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** The fifth field behind the name is the session. */
function sessionOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[3]);
}

describe('run --detach', { timeout: 60_000 }, () => {
  test('prints the id of a recorded run, which a process of its own drives to its end', async ({
    openScene,
  }) => {
    const scene = await openScene();
    const { code, stdout, stderr } = await scene.conductor('run', fixture('success'), '--detach');
    expect(code, stderr).toBe(0);
    const runId = stdout.trim();
    expect(scene.runIds()).toEqual([runId]);
    expect(stderr).toContain(`conductor status ${runId.slice(0, 8)} --watch`);
    const watched = await scene.conductor('status', runId, '--watch');
    expect(watched, watched.stderr).toMatchObject({ code: 0 });
    const record = scene.record(runId);
    expect(record.finalState).toBe('completed success success\n');
    expect(record.eventsOf('run_resumed')).toEqual([]);
    await until(() => readFileSync(join(record.path, 'logs/conductor.log'), 'utf8').includes('✓ success'));
  });

  test('has the id and the process in its document', async ({ openScene }) => {
    const scene = await openScene();
    const { stdout, stderr } = await scene.conductor('run', fixture('success'), '--detach', '--json');
    const document = JSON.parse(stdout);
    expect(document).toMatchObject({
      schema_version: 1,
      run_id: scene.runIds()[0],
      workflow_id: 'success',
      outcome: null,
      detached: true,
      driver_pid: expect.any(Number),
    });
    expect(stderr.split('\n')).toContain(document.run_id);
    expect(await scene.conductor('status', document.run_id, '--watch')).toMatchObject({ code: 0 });
    await until(() => !isAlive(document.driver_pid));
  });

  test('survives the end of its terminal, and is cancelled from elsewhere', async ({ openScene }) => {
    const scene = await openScene();
    const { runId, pid } = await startStuck(scene);
    expect(sessionOf(pid)).toBe(pid);
    process.kill(pid, 'SIGHUP');
    const { updated_at } = scene.record(runId).status;
    await until(() => scene.record(runId).status.updated_at > updated_at);
    expect(isAlive(pid)).toBe(true);
    expect(await scene.conductor('cancel', runId)).toMatchObject({ code: 0 });
    expect(scene.record(runId).finalState).toBe('failed cancelled cancelled\n');
    await until(() => !isAlive(pid));
  });

  test('can be followed, interrupted and resumed in another process', async ({ openScene }) => {
    const scene = await openScene();
    const { runId, pid } = await startStuck(scene);
    const second = await scene.conductor('resume', runId, '--detach');
    expect(second).toMatchObject({ code: 1, stdout: '' });
    expect(second.stderr).toContain(`driven by process ${pid}`);
    const following = scene.cli.start(['logs', runId, '--follow']);
    const watching = scene.cli.start(['status', '--watch']);
    await until(() => watching.stdout().includes('running'));
    process.kill(pid, 'SIGTERM');
    await until(() => !isAlive(pid));
    expect(await following.done).toMatchObject({ code: 0 });
    const { code, stdout } = await watching.done;
    expect(code).toBe(0);
    expect(stdout).toMatch(/interrupted: conductor resume [0-9a-f-]+$/m);
    const resumed = await scene.conductor('resume', runId, '--detach');
    expect(resumed, resumed.stderr).toMatchObject({ code: 0, stdout: `${runId}\n` });
    expect(await scene.conductor('status', runId, '--watch')).toMatchObject({ code: 0 });
    expect(scene.record(runId).finalState).toBe('completed success success\n');
  });

  test('stays at gates with --wait', async ({ openScene }) => {
    const scene = await openScene();
    const { stdout } = await scene.conductor('run', fixture('gate'), '--detach', '--wait');
    const runId = stdout.trim();
    await until(() => scene.record(runId).status.lifecycle_state === 'waiting');
    expect(await scene.conductor('approve', runId)).toMatchObject({ code: 0 });
    await until(() => scene.record(runId).finalState !== null);
    expect(scene.record(runId).finalState).toBe('completed success gate_approved\n');
  });

  const REFUSED: readonly (readonly string[])[] = [
    ['run', fixture('success'), '--base-ref', 'nowhere'],
    ['run', './none.yaml'],
    ['run', fixture('success'), '--input', 'unused=1'],
  ];
  test('reports obstacles as it does without --detach, and creates nothing', async ({ openScene }) => {
    const scene = await openScene();
    for (const args of REFUSED)
      for (const json of [[], ['--json']]) {
        const near = await scene.conductor(...args, ...json);
        const apart = await scene.conductor(...args, ...json, '--detach');
        expect(apart).toEqual(near);
        expect(apart.code).toBe(2);
      }
    expect(scene.runIds()).toEqual([]);
  });
});
