import { existsSync, readFileSync } from 'node:fs';
import { appendFile, readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import type { StartedCli } from '../../testing/cli.ts';
import { IN_NEW_NAMESPACE, pidNamespacesHere } from '../integration/pid-namespaces-here.ts';
import { markedProcesses } from './marked-processes.ts';
import { fixture, oneAgentStep, type Scene, test, until } from './scene.ts';

interface Stuck {
  readonly scene: Scene;
  readonly driver: StartedCli;
  readonly runId: string;
}

/** A run whose agent has changed files, has left a process behind, and does not come back. */
async function startStuckRun(scene: Scene, through: readonly string[] = []): Promise<Stuck> {
  const driver = scene.cli.start(['run', fixture('interrupted')], { through });
  const runId = await until(() => scene.runIds()[0]);
  const half = join(scene.checkout(runId), 'half.txt');
  await until(() => existsSync(half) && readFileSync(half, 'utf8') === 'half\n');
  expect(markedProcesses(runId).length).toBeGreaterThanOrEqual(2);
  return { scene, driver, runId };
}

function countLines(path: string): number {
  return existsSync(path) ? readFileSync(path, 'utf8').split('\n').length - 1 : 0;
}

async function expectSecondAttempt(scene: Scene, runId: string): Promise<void> {
  const record = scene.record(runId);
  expect(record.finalState).toBe('completed success success\n');
  const starts = record.eventsOf('step_started').filter((event) => event.step_id === 'implement');
  expect(starts.map(({ payload }) => [payload.attempt, payload.visit, payload.recovery])).toEqual([
    [1, 1, false],
    [2, 1, true],
  ]);
  expect(record.manifest('implement@2').attempt).toBe(2);
  expect(record.eventsOf('run_resumed')).toHaveLength(1);
  expect(existsSync(join(scene.checkout(runId), 'half.txt'))).toBe(false);
  expect(await scene.inCheckout(runId, 'answer.txt')).toBe('42\n');
  const [salvage] = record.eventsOf('salvage_recorded');
  expect(await scene.storeGit(runId, 'show', `${salvage?.payload.ref}:half.txt`)).toBe('half\n');
}

describe('a conductor that is killed while an agent runs', () => {
  test('is followed by a resume that cleans up and ends well', async ({ openScene }) => {
    const { scene, driver, runId } = await startStuckRun(await openScene());
    driver.kill('SIGKILL');
    expect(await driver.done).toMatchObject({ signal: 'SIGKILL' });
    expect(markedProcesses(runId).length).toBeGreaterThanOrEqual(2);
    const status = JSON.parse((await scene.conductor('status', runId, '--json')).stdout);
    expect(status).toMatchObject({ lifecycle_state: 'running', driver_pid: null });
    expect(await scene.conductor('resume', runId)).toMatchObject({ code: 0 });
    await expectSecondAttempt(scene, runId);
  });

  test('leaves a torn line that is cut off and kept aside', async ({ openScene }) => {
    const { scene, driver, runId } = await startStuckRun(await openScene());
    driver.kill('SIGKILL');
    await driver.done;
    const { path } = scene.record(runId);
    await appendFile(join(path, 'events.ndjson'), '{"seq":99,"times');
    expect(await scene.conductor('resume', runId)).toMatchObject({ code: 0 });
    await expectSecondAttempt(scene, runId);
    const [aside] = (await readdir(path)).filter((name) => /^events\.ndjson\../.test(name));
    expect(await readFile(join(path, aside ?? ''), 'utf8')).toBe('{"seq":99,"times');
  });

  test('can be cancelled, and nothing of it stays alive', async ({ openScene }) => {
    const { scene, driver, runId } = await startStuckRun(await openScene());
    driver.kill('SIGKILL');
    await driver.done;
    expect(await scene.conductor('cancel', runId)).toMatchObject({ code: 0 });
    expect(scene.record(runId).finalState).toBe('failed cancelled cancelled\n');
    expect(markedProcesses(runId)).toEqual([]);
  });

  test('is not resumed twice at once', async ({ openScene }) => {
    const { scene, driver, runId } = await startStuckRun(await openScene());
    const second = await scene.conductor('resume', runId);
    expect(second).toMatchObject({ code: 1, stdout: '' });
    expect(second.stderr).toMatch(new RegExp(`^conductor: .*${driver.pid}`, 'm'));
    driver.kill('SIGKILL');
    await driver.done;
    const resumes = await Promise.all([1, 2, 3].map(() => scene.cli.start(['resume', runId]).done));
    expect(resumes.map(({ code }) => code)).toContain(0);
    expect(resumes.map(({ code }) => code).filter((code) => code !== 0 && code !== 1)).toEqual([]);
    await expectSecondAttempt(scene, runId);
  });
});

describe.runIf(pidNamespacesHere)('a conductor in another PID namespace', () => {
  test('counts as alive until its lease has run out', async ({ openScene }) => {
    const { scene, driver, runId } = await startStuckRun(await openScene(), IN_NEW_NAMESPACE);
    const refusal =
      /^conductor: run \S+ is driven by process 1 on host \S+ \(its lease runs until 20\S+Z and is renewed while it lives\)$/m;
    expect(await scene.conductor('resume', runId)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(refusal),
    });
    driver.kill('SIGKILL');
    await driver.done;
    expect(await scene.conductor('resume', runId)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(refusal),
    });
    const { path } = scene.record(runId);
    const [lock = ''] = (await readdir(path)).filter((name) => name.startsWith('lock.'));
    const longAgo = new Date(Date.now() - 16_000);
    await utimes(join(path, lock), longAgo, longAgo);
    expect(await scene.conductor('resume', runId)).toMatchObject({ code: 0 });
    await expectSecondAttempt(scene, runId);
  });

  test('is cancelled from outside', async ({ openScene }) => {
    const { scene, driver, runId } = await startStuckRun(await openScene(), IN_NEW_NAMESPACE);
    expect(await scene.conductor('cancel', runId)).toMatchObject({ code: 0 });
    await driver.done;
    expect(scene.record(runId).finalState).toBe('failed cancelled cancelled\n');
  });
});

describe('a conductor that is killed at any point of the log', () => {
  for (const count of [1, 5, 12, 20, 28])
    test(`is resumed to the same end (after ${count} events)`, async ({ openScene }) => {
      const scene = await openScene();
      const driver = scene.cli.start(['run', fixture('success')]);
      const runId = await until(() => scene.runIds()[0]);
      await until(() => countLines(join(scene.repo.root, '.tnh/run', runId, 'events.ndjson')) >= count);
      driver.kill('SIGKILL');
      await driver.done;
      expect(await scene.conductor('resume', runId)).toMatchObject({ code: 0 });
      expect(scene.record(runId).finalState).toBe('completed success success\n');
      expect(await scene.inCheckout(runId, 'answer.txt')).toBe('42\n');
    });
});

describe('a running run', () => {
  test('has a status that is refreshed while its step runs', async ({ openScene }) => {
    const { scene, driver, runId } = await startStuckRun(await openScene());
    const first = scene.record(runId).status;
    expect(first).toMatchObject({
      lifecycle_state: 'running',
      current_step_id: 'implement',
      active_opcode: 'RUN_AGENT',
      active_runner_family: 'command',
      active_attempt: 1,
    });
    const next = await until(() => {
      const { status } = scene.record(runId);
      return status.updated_at !== first.updated_at && status;
    });
    expect(Date.parse(next.updated_at) - Date.parse(first.updated_at)).toBeLessThan(5_000);
    expect(next.elapsed_seconds).toBeGreaterThan(first.elapsed_seconds);
    driver.kill('SIGINT');
    await driver.done;
  });
});

describe('an interruption', () => {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    test(`by ${signal} exits with 130 and can be resumed`, async ({ openScene }) => {
      const { scene, driver, runId } = await startStuckRun(await openScene());
      driver.kill(signal);
      expect(await driver.done).toMatchObject({ code: 130, stdout: `${runId}\n` });
      expect(markedProcesses(runId)).toEqual([]);
      expect(scene.record(runId).finalState).toBe(null);
      expect(await scene.conductor('resume', runId)).toMatchObject({ code: 0 });
      await expectSecondAttempt(scene, runId);
    });

  test('reports what the step did to its git folder, although no evaluation follows', async ({
    openScene,
  }) => {
    const scene = await openScene();
    const lines = [
      '@1 write .git/hooks/pre-commit exit',
      '@1 write half.txt half',
      '@1 hang',
      'write answer.txt 42',
    ];
    await scene.repo.write('../w.yaml', oneAgentStep('reported', JSON.stringify(lines.join('\n'))));
    const driver = scene.cli.start(['run', '../w.yaml']);
    const runId = await until(() => scene.runIds()[0]);
    await until(() => existsSync(join(scene.checkout(runId), 'half.txt')));
    driver.kill('SIGINT');
    expect(await driver.done).toMatchObject({ code: 130 });
    expect(existsSync(join(scene.checkout(runId), '.git/hooks/pre-commit'))).toBe(false);
    const notes = scene.record(runId).eventsOf('status_updated');
    expect(notes.map(({ payload }) => payload.note)).toContainEqual(
      'step "only" was interrupted: .git/hooks/pre-commit was created during the step; conductor restored it',
    );
    expect(await scene.conductor('resume', runId)).toMatchObject({ code: 7 });
    expect(await scene.conductor('verify', runId)).toMatchObject({ code: 0 });
  });

  test('that is repeated leaves at once, and not an agent that does not listen', async ({ openScene }) => {
    const scene = await openScene();
    await scene.repo.write('../w.yaml', oneAgentStep('deaf', '"deaf\\nwrite half.txt half\\nhang"'));
    const driver = scene.cli.start(['run', '../w.yaml']);
    const runId = await until(() => scene.runIds()[0]);
    await until(() => existsSync(join(scene.checkout(runId), 'half.txt')));
    driver.kill('SIGINT');
    await until(() => driver.stderr().includes('interrupting'));
    driver.kill('SIGINT');
    expect(await driver.done).toMatchObject({ code: 130 });
    expect(markedProcesses(runId)).toEqual([]);
  });

  test('at a gate that is waited at leaves the gate open', async ({ openScene }) => {
    const scene = await openScene();
    const driver = scene.cli.start(['run', '--wait', fixture('gate')]);
    await until(() => driver.stderr().includes('waits for approval'));
    driver.kill('SIGINT');
    expect(await driver.done).toMatchObject({ code: 130 });
    const runId = scene.runIds()[0] ?? '';
    expect(scene.record(runId).status.lifecycle_state).toBe('waiting');
    expect(await scene.conductor('approve', runId, '--resume')).toMatchObject({ code: 0 });
  });
});

describe('a cancel', () => {
  test('from another process cancels a running run', async ({ openScene }) => {
    const { scene, driver, runId } = await startStuckRun(await openScene());
    const cancelled = await scene.conductor('cancel', runId, '--comment', 'wrong branch');
    expect(cancelled).toMatchObject({ code: 0 });
    expect(await driver.done).toMatchObject({ code: 130, signal: null });
    expect(markedProcesses(runId)).toEqual([]);
    const record = scene.record(runId);
    expect(record.finalState).toBe('failed cancelled cancelled\n');
    expect(record.eventsOf('run_cancelled').map(({ payload }) => payload)).toEqual([
      { by: 'Test User', reason: 'wrong branch' },
    ]);
    expect(await scene.conductor('resume', runId)).toMatchObject({ code: 130 });
  });

  test('ends a run that waits at a gate', async ({ openScene }) => {
    const scene = await openScene();
    const { runId } = await scene.run('gate');
    expect(await scene.conductor('cancel', runId)).toMatchObject({ code: 0 });
    expect(scene.record(runId).finalState).toBe('failed cancelled cancelled\n');
    expect(await scene.conductor('approve', runId)).toMatchObject({ code: 1 });
  });

  test('ends a run whose driver waits at a gate', async ({ openScene }) => {
    const scene = await openScene();
    const driver = scene.cli.start(['run', '--wait', fixture('gate')]);
    await until(() => driver.stderr().includes('waits for approval'));
    const runId = scene.runIds()[0] ?? '';
    expect(await scene.conductor('cancel', runId)).toMatchObject({ code: 0 });
    expect(await driver.done).toMatchObject({ code: 130 });
    expect(scene.record(runId).finalState).toBe('failed cancelled cancelled\n');
  });

  test('of a run that has ended takes no effect: exit 1', async ({ openScene }) => {
    const scene = await openScene();
    const { runId } = await scene.run('unverified');
    const before = scene.record(runId).lines;
    const cancelled = await scene.conductor('cancel', runId);
    expect(cancelled).toMatchObject({ code: 1, stdout: '' });
    expect(cancelled.stderr).toMatch(/^conductor: .*already ended/m);
    expect(scene.record(runId).lines).toEqual(before);
  });
});

describe('a run that has ended', () => {
  test('comes back as it ended when it is resumed', async ({ openScene }) => {
    const scene = await openScene();
    const { runId } = await scene.run('partial');
    const before = scene.record(runId).lines;
    expect(await scene.conductor('resume', runId)).toMatchObject({ code: 4 });
    expect(scene.record(runId).lines).toEqual(before);
  });

  test('is refused with the line number when its log was changed', async ({ openScene }) => {
    const scene = await openScene();
    const { runId } = await scene.run('unverified');
    const { path, lines } = scene.record(runId);
    const log = join(path, 'events.ndjson');
    const original = await readFile(log);
    const forge = (line: string, index: number) =>
      index === 1 ? line.replace('"visit":1', '"visit":7') : line;
    const forged = `${lines.map(forge).join('\n')}\n`;
    expect(forged).not.toBe(original.toString());
    await writeFile(log, forged);
    for (const command of ['resume', 'show', 'cancel']) {
      const refused = await scene.conductor(command, runId);
      expect(refused).toMatchObject({ code: 1, stdout: '' });
      expect(refused.stderr).toMatch(/^conductor: .*line \d+/m);
    }
    expect(await readFile(log, 'utf8')).toBe(forged);
    await writeFile(log, original);
  });
});
