import { readFileSync } from 'node:fs';
import { describe, expect } from 'vitest';
import { shortIdsOf } from '../../src/overview/short-ids.ts';
import { fixture, test, until } from './scene.ts';

/** `npm run parallel` starts fifty. */
const MANY = 8;

describe('many runs at once in one repository', () => {
  test('all end well, each with a workspace and a branch of its own', { timeout: 180_000 }, async ({
    openScene,
  }) => {
    const scene = await openScene();
    const ends = await Promise.all(
      Array.from({ length: MANY }, () => scene.cli.start(['run', fixture('success'), '--json']).done),
    );
    expect(ends.filter(({ code }) => code !== 0).map(({ stderr }) => stderr)).toEqual([]);
    const documents = ends.map(({ stdout }) => JSON.parse(stdout));
    const ids = documents.map(({ run_id }) => run_id);
    expect(new Set(ids).size).toBe(MANY);
    expect(documents.map(({ outcome }) => outcome)).toEqual(ids.map(() => 'success'));
    for (const id of ids) {
      expect(await scene.inCheckout(id, 'answer.txt')).toBe('42\n');
      const { branch_name, head_sha } = scene.record(id).metadata.workspace;
      expect(await scene.repo.git('rev-parse', branch_name)).toBe(`${head_sha}\n`);
    }
    const listed = JSON.parse((await scene.conductor('runs', '--state', 'success', '--json')).stdout);
    expect(listed.runs).toHaveLength(MANY);
  });
});

describe('two workflows with the same checks', () => {
  test('share one baseline, however many steps name them', async ({ openScene }) => {
    const success = readFileSync(fixture('success'), 'utf8');
    const [head = '', tail = ''] = success.split('  - id: check\n');
    const twice = `${head.replace('check', 'early')}  - id: early\n${tail.split('  - id: judge')[0]}`;
    const files = { 'twice.yaml': `${twice.replaceAll(': judge', ': check')}  - id: check\n${tail}` };
    const scene = await openScene({ files });
    const first = await scene.run('success');
    const second = await scene.conductor('run', 'twice.yaml');
    expect(second.code, second.stderr).toBe(0);
    const cached = [first.runId, second.stdout.trim()].map((id) =>
      scene
        .record(id)
        .eventsOf('baseline_recorded')
        .map(({ payload }) => payload.cached),
    );
    expect(cached).toEqual([[false], [true]]);
  });
});

describe('the list of runs', () => {
  test('is filtered and cut, and says what it hides', async ({ openScene }) => {
    const scene = await openScene();
    const first = (await scene.run('unverified')).runId;
    const second = (await scene.run('gate')).runId;
    const short = shortIdsOf([first, second]);
    const all = (await scene.conductor('runs')).stdout.trim().split('\n');
    expect(all.map((line) => line.split(/\s+/)[0])).toEqual([short(second), short(first)]);
    const cut = await scene.conductor('runs', '--limit', '1');
    expect(cut.stdout).toContain(short(second));
    expect(cut.stdout).not.toContain(short(first));
    expect(cut.stderr).toMatch(/^1 more is hidden/m);
    for (const [state, id] of [
      ['waiting', second],
      ['completed', first],
      ['unverified', first],
    ]) {
      const { stdout } = await scene.conductor('runs', '--state', state ?? '', '--json');
      expect(JSON.parse(stdout)).toMatchObject({ runs: [{ run_id: id }], hidden: 0 });
    }
    const none = await scene.conductor('runs', '--state', 'interrupted');
    expect(none).toMatchObject({ code: 0, stdout: '' });
    expect(none.stderr).toContain('none of 2 runs is interrupted');
    expect(await scene.conductor('runs', '--state', 'sleeping')).toMatchObject({ code: 2 });
  });

  test('distinguishes an interrupted run from a running one', async ({ openScene }) => {
    const scene = await openScene();
    const driver = scene.cli.start(['run', fixture('interrupted')]);
    const runId = await until(() => driver.stdout().trim() || null);
    await until(() => scene.record(runId).status.lifecycle_state === 'running');
    expect((await scene.conductor('runs')).stdout).toMatch(/running$/m);
    driver.kill('SIGKILL');
    await driver.done;
    const resume = `interrupted: conductor resume ${runId.slice(0, 8)}`;
    const there = `${resume} --repo ${scene.repo.root}`;
    for (const command of [['runs'], ['status'], ['status', runId], ['status', '--watch']]) {
      const { stdout } = await scene.conductor(...command);
      expect(
        stdout
          .trimEnd()
          .split('\n')
          .some((line) => line.endsWith(resume)),
        command.join(' '),
      ).toBe(true);
      const elsewhere = await scene.cli.run([...command, '--repo', scene.repo.root], { cwd: scene.home });
      expect(elsewhere.stdout, command.join(' ')).toContain(there);
    }
    await scene.conductor('cancel', runId);
  });
});

describe('status --watch over all runs', () => {
  test('prints a line for each change and ends when nothing moves', async ({ openScene }) => {
    const scene = await openScene();
    const drivers = ['success', 'gate'].map((name) => scene.cli.start(['run', fixture(name), '--wait']));
    const ids = await Promise.all(drivers.map((driver) => until(() => driver.stdout().trim() || null)));
    const { code, stdout } = await scene.conductor('status', '--watch');
    expect(code).toBe(0);
    await scene.conductor('approve', ids[1] ?? '');
    await Promise.all(drivers.map(({ done }) => done));
    const lines = stdout.trim().split('\n');
    expect(new Set(lines).size).toBe(lines.length);
    const last = ids.map((id) => lines.findLast((line) => line.startsWith(`${shortIdsOf(ids)(id)} `)));
    expect(last[0]).toMatch(/ {2}success$/);
    expect(last[1]).toMatch(/ {2}waiting for approval at gate \w+$/);
  });

  test('ends at once, and cleanly, when it is interrupted', async ({ openScene }) => {
    const scene = await openScene();
    const driver = scene.cli.start(['run', fixture('interrupted')]);
    const runId = await until(() => driver.stdout().trim() || null);
    for (const args of [
      ['status', '--watch'],
      ['status', runId, '--watch'],
    ]) {
      const watching = scene.cli.start(args);
      await until(() => watching.stdout().includes('running'));
      watching.kill('SIGINT');
      expect(await watching.done).toMatchObject({ code: 130, signal: null, stderr: '' });
    }
    await scene.conductor('cancel', runId);
    expect(await driver.done).toMatchObject({ code: 130 });
  });

  test('has nothing to follow where nothing runs', async ({ openScene }) => {
    const scene = await openScene();
    const watched = await scene.conductor('status', '--watch');
    expect(watched).toMatchObject({ code: 0, stdout: '' });
    expect(watched.stderr).toContain('no run is active');
  });
});
