import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect } from 'vitest';
import { fixture, type Scene, test, until } from './scene.ts';

async function waitingRun(scene: Scene, workflow = 'gate'): Promise<string> {
  const { code, runId } = await scene.run(workflow);
  expect(code).toBe(3);
  return runId;
}

describe('a gate', () => {
  test('ends the process with 3 and says what it waits for', async ({ openScene }) => {
    const scene = await openScene();
    const runId = await waitingRun(scene);
    const { status, evidence, eventsOf } = scene.record(runId);
    expect(status).toMatchObject({
      lifecycle_state: 'waiting',
      outcome: null,
      current_step_id: 'approve',
      active_opcode: 'GATE',
      awaiting: { step_id: 'approve', gate: 'requires_approval', expires_at: null },
    });
    const request = JSON.parse(evidence('approve', 'gate_request'));
    expect(request).toMatchObject({ step_id: 'approve', reason: expect.stringMatching(/./) });
    expect(eventsOf('gate_requested')).toHaveLength(1);
    expect(eventsOf('step_waiting')).toHaveLength(1);
  });

  test('continues after an approval by another process: exit 0', async ({ openScene }) => {
    const scene = await openScene();
    const runId = await waitingRun(scene);
    expect(await scene.conductor('approve', runId)).toMatchObject({ code: 0 });
    expect(scene.record(runId).status.lifecycle_state).toBe('waiting');
    expect(await scene.conductor('resume', runId)).toMatchObject({ code: 0 });
    const record = scene.record(runId);
    expect(record.finalState).toBe('completed success gate_approved\n');
    expect(record.eventsOf('gate_approved')[0]?.payload).toMatchObject({ by: 'Test User', comment: null });
    expect(record.eventsOf('human_feedback')).toEqual([]);
  });

  test('without an answer still waits when the run is resumed', async ({ openScene }) => {
    const scene = await openScene();
    const runId = await waitingRun(scene);
    const before = scene.record(runId).lines;
    expect(await scene.conductor('resume', runId)).toMatchObject({ code: 3 });
    expect(scene.record(runId).lines).toEqual(before);
  });

  test('takes one answer: the second exits with 1 and the reason', async ({ openScene }) => {
    const scene = await openScene();
    const runId = await waitingRun(scene);
    await scene.conductor('approve', runId);
    const second = await scene.conductor('reject', runId);
    expect(second).toMatchObject({ code: 1, stdout: '' });
    expect(second.stderr).toMatch(/^conductor: .*already been answered.*gate_approved by Test User$/m);
    await scene.conductor('resume', runId);
    const third = await scene.conductor('approve', runId);
    expect(third).toMatchObject({ code: 1, stdout: '' });
    expect(scene.record(runId).finalState).toBe('completed success gate_approved\n');
  });

  test('takes one answer when many come at once', async ({ openScene }) => {
    const scene = await openScene();
    const runId = await waitingRun(scene);
    const commands = ['approve', 'reject', 'approve', 'reject'];
    const answers = await Promise.all(commands.map((command) => scene.cli.start([command, runId]).done));
    expect(answers.filter(({ code }) => code === 0)).toHaveLength(1);
    expect(answers.filter(({ code }) => code === 1)).toHaveLength(3);
    const winner = commands[answers.findIndex(({ code }) => code === 0)];
    const { code } = await scene.conductor('resume', runId);
    expect(code).toBe(winner === 'approve' ? 0 : 4);
  });

  test('answers only to its approvers', async ({ openScene }) => {
    const scene = await openScene();
    const runId = await waitingRun(scene, 'gate-approvers');
    for (const args of [[], ['--as', 'eve'], ['--as', 'Ann']]) {
      const refused = await scene.conductor('approve', runId, ...args);
      expect(refused).toMatchObject({ code: 1, stdout: '' });
      expect(refused.stderr).toMatch(/^conductor: .*not among the approvers/m);
    }
    expect(await scene.conductor('approve', runId, '--as', 'bob', '--resume')).toMatchObject({ code: 0 });
    expect(scene.record(runId).eventsOf('gate_approved')[0]?.payload.by).toBe('bob');
  });

  test('keeps the comment of a rejection as feedback: exit 4', async ({ openScene }) => {
    const scene = await openScene();
    const runId = await waitingRun(scene);
    const rejected = await scene.conductor('reject', runId, '--comment', 'not like this', '--resume');
    expect(rejected.code).toBe(4);
    const record = scene.record(runId);
    expect(record.finalState).toBe('blocked rejected gate_rejected\n');
    expect(record.eventsOf('human_feedback').map(({ payload }) => payload)).toEqual([
      { by: 'Test User', comment: 'not like this' },
    ]);
  });

  test('is answered while a process waits at it', async ({ openScene }) => {
    const scene = await openScene();
    const waiting = scene.cli.start(['run', '--wait', fixture('gate')]);
    const runId = await until(() => scene.runIds()[0]);
    await until(() => waiting.stderr().includes('waits for approval'));
    const answered = await scene.conductor('approve', runId, '--comment', 'fine', '--resume');
    expect(answered.code).toBe(0);
    expect(await waiting.done).toMatchObject({ code: 0, stdout: `${runId}\n` });
    expect(scene.record(runId).finalState).toBe('completed success gate_approved\n');
  });

  test('runs out of time under a process that waits: exit 4', async ({ openScene }) => {
    const scene = await openScene();
    const { code, runId } = await scene.run('gate-timeout', '--wait');
    expect(code).toBe(4);
    const record = scene.record(runId);
    expect(record.finalState).toBe('blocked timed_out gate_timed_out\n');
    expect(record.status.blocking_reason).toBe('nobody answered in time');
    expect(record.eventsOf('gate_timed_out')[0]?.payload).toMatchObject({ by: null });
  });

  test('whose time passed while nothing ran is timed out when it is next touched', async ({ openScene }) => {
    const scene = await openScene();
    const runId = await waitingRun(scene, 'gate-timeout');
    const expires = scene.record(runId).status.awaiting?.expires_at ?? '';
    await pause(Math.max(0, Date.parse(expires) - Date.now()) + 1);
    const late = await scene.conductor('approve', runId);
    expect(late).toMatchObject({ code: 1 });
    expect(late.stderr).toMatch(/^conductor: .*timed out/m);
    expect(await scene.conductor('resume', runId)).toMatchObject({ code: 4 });
    expect(scene.record(runId).finalState).toBe('blocked timed_out gate_timed_out\n');
  });

  test('takes no approval of files that it did not show: exit 1', async ({ openScene }) => {
    const scene = await openScene();
    const runId = await waitingRun(scene);
    await writeFile(join(scene.checkout(runId), 'answer.txt'), 'unseen\n');
    const approved = await scene.conductor('approve', runId);
    expect(approved.stderr).toMatch(/^conductor: .*changed/m);
    expect(approved.code).toBe(1);
    expect(scene.record(runId).status.lifecycle_state).toBe('waiting');
  });

  test('lets nothing into a success that changed after the approval', async ({ openScene }) => {
    const scene = await openScene();
    const runId = await waitingRun(scene);
    await scene.conductor('approve', runId);
    await writeFile(join(scene.checkout(runId), 'answer.txt'), 'unseen\n');
    const { code } = await scene.conductor('resume', runId);
    const { branch_name } = scene.record(runId).metadata.workspace;
    const accepted = await scene.repo.git('show', `${branch_name}:answer.txt`);
    expect(code === 0 ? accepted : '42\n').toBe('42\n');
  });

  test('is listed until it is answered and driven on', async ({ openScene }) => {
    const scene = await openScene();
    const runId = await waitingRun(scene);
    const listed = JSON.parse((await scene.conductor('gates', '--json')).stdout);
    expect(listed.gates).toMatchObject([{ run_id: runId, step_id: 'approve', answer: null }]);
    await scene.conductor('approve', runId, '--resume');
    expect(JSON.parse((await scene.conductor('gates', '--json')).stdout).gates).toEqual([]);
  });
});
